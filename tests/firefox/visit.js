// Visits the built site in Firefox, and prints as JSON what it saw there. Given: the program, and the
// address of the site.
import puppeteer from "puppeteer-core";

const [executablePath, address] = process.argv.slice(2);
const PATIENCE = 120_000;
const seen = { titles: {}, outside: [], errors: [] };
const browser = await puppeteer.launch({ browser: "firefox", executablePath, timeout: PATIENCE, protocolTimeout: PATIENCE });
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  // Firefox asks for an icon where a page names none; a report, which connects to nothing, does not let it.
  const heard = (words) => words.includes("/favicon.ico") || seen.errors.push(words);
  page.on("pageerror", (error) => heard(String(error)));
  page.on("console", (said) => said.type() === "error" && heard(said.text()));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.endsWith("/favicon.ico") && !/^(?:data|blob):/.test(url)) seen.outside.push(url);
  });
  const visit = async (path) => {
    await page.goto(address + path);
    seen.titles[path] = await page.title();
  };
  await page.setViewport({ width: 390, height: 844 });
  for (const path of ["", "es/", "pt/", "atdf/error/", "guides/fastapi/", "conformance/benchmarks/", "sample-report/report.html"]) {
    await visit(path);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) seen.errors.push(`${path} is ${wide} px wider than the window`);
  }
  await page.setViewport({ width: 1280, height: 900 });

  await visit("playground/");
  await page.type("#playground-text", '{"errors": []}');
  await page.waitForFunction(() => document.getElementById("playground").dataset.state === "invalid");
  seen.verdict = await page.$eval(".playground__verdict", (each) => each.textContent);
  await page.click(".playground__share");
  await page.waitForFunction(() => location.hash.startsWith("#text="));
  await page.goto(page.url().replace("/playground/", "/pt/playground/"));
  await page.waitForFunction(() => document.getElementById("playground")?.dataset.state === "invalid");
  seen.shared = await page.$eval("#playground-text", (each) => each.value);

  await visit("?q=suggested_value");
  await page.waitForSelector(".md-search-result__link");
  seen.found = await page.$eval(".md-search-result__link", (each) => each.href);

  await visit("conformance/clauses/?group=MCP-CALL");
  await page.waitForSelector(".filter__shown:not(:empty)");
  seen.rows = await page.$$eval("article tbody tr", (rows) => rows.filter((row) => row.checkVisibility()).length);
  seen.shown = await page.$eval(".filter__shown", (each) => each.textContent);
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));

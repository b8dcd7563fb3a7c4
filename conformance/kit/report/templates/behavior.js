(() => {
  'use strict'
  const all = (selector, from = document) => [...from.querySelectorAll(selector)]
  const bodies = () => all('#results-table > tbody')

  const setOpen = (body, open) => {
    const extra = body.querySelector('.extras-row')
    const button = body.querySelector('.open')
    if (!extra || !button) return
    const place = extra.querySelector('.extraHTML')
    if (open && !place.firstChild) place.append(insideOf(body).cloneNode(true))
    extra.classList.toggle('hidden', !open)
    extra.id = `inside-${body.id}`
    button.setAttribute('aria-controls', extra.id)
    button.setAttribute('aria-expanded', String(open))
    body.classList.toggle('is-open', open)
    if (!open) return
    const asked = words()
    if (asked.length) {
      all('details', extra).filter((each) => asked.some((word) => plain(each.textContent).includes(word)))
        .forEach((each) => { each.open = true })
    }
    showMarks(extra)
  }
  const showMarks = (within) => all('pre', within).forEach((pre) => {
    const mark = pre.querySelector('mark')
    if (!mark || pre.scrollHeight <= pre.clientHeight) return
    const above = mark.getBoundingClientRect().top - pre.getBoundingClientRect().top
    pre.scrollTop += above - pre.clientHeight / 3
  })
  const isOpen = (body) => body.classList.contains('is-open')

  // What can be searched is cut into words without marks: `numero` finds `número`. Marks of their own
  // go first: to put thousands of them in order takes seconds.
  const unmarked = (text) => text.replace(/\p{M}+/gu, '')
  const plain = (text) => unmarked(unmarked(text.toLowerCase()).normalize('NFD'))
  const words = () => plain(document.getElementById('search').value).split(/\s+/).filter(Boolean)
  const detailOf = (body) => document.getElementById(`detail-${body.id}`)
  // The inside of a row is kept as the text of a comment, and parsed when it is asked for.
  const insideOf = (body) => {
    const detail = detailOf(body)
    if (!detail) return document.createDocumentFragment()
    const [first] = detail.content.childNodes
    if (first instanceof Comment) detail.innerHTML = first.data
    return detail.content
  }
  const texts = new Map()
  const textOf = (body) => {
    if (!texts.has(body)) {
      texts.set(body, plain(`${body.textContent} ${insideOf(body).textContent}`))
    }
    return texts.get(body)
  }
  let terms = null
  const numbersWith = (word) => {
    terms ??= [...document.getElementById('terms').content.children].map((each) => plain(each.textContent))
    return terms.flatMap((term, number) => (term.includes(word) ? [number] : []))
  }
  const rangesOf = (body) => (detailOf(body)?.dataset.terms || '').split(' ').filter(Boolean)
    .map((range) => range.split('-').map(Number))
  const holds = (body, word, numbers) => textOf(body).includes(word) || (numbers.length > 0
    && rangesOf(body).some(([from, to = from]) => numbers.some((number) => from <= number && number <= to)))

  const show = () => {
    const verdicts = new Set(all('.tools-bar input:checked').map((input) => input.value))
    const asked = words().map((word) => [word, numbersWith(word)])
    let count = 0
    let off = 0
    const rows = bodies()
    rows.forEach((body) => {
      const verdict = body.querySelector('[data-verdict]')?.dataset.verdict
      const chip = document.querySelector(`.tools-bar input[value="${verdict}"]`)
      const wanted = !chip || verdicts.has(verdict)
      const found = asked.every(([word, numbers]) => holds(body, word, numbers))
      body.hidden = !(wanted && found)
      if (!body.hidden) count += 1
      if (found && !wanted && asked.length) off += 1
    })
    const status = document.getElementById('shown')
    const said = status.dataset.words.replace('%1', count).replace('%2', rows.length)
    status.textContent = off ? `${said} · ${status.dataset.more.replace('%1', off)}` : said
  }

  // The filters are kept behind the `#`: a link, a reload and the way back show the same rows.
  const chips = () => all('.tools-bar input[type=checkbox]')
  let usual = ''
  const chosen = () => chips().filter((input) => input.checked).map((input) => input.value).join('.')
  const keep = () => {
    const asked = new URLSearchParams()
    if (chosen() !== usual) asked.set('show', chosen())
    const search = document.getElementById('search').value.trim()
    if (search) asked.set('find', search)
    history.replaceState(null, '', `#${asked}`)
  }
  const restore = (hash) => {
    if (!/^#(?:show|find)=/.test(hash)) return
    const asked = new URLSearchParams(hash.slice(1))
    const wanted = (asked.get('show') ?? usual).split('.')
    chips().forEach((input) => { input.checked = wanted.includes(input.value) })
    // A field with thousands of accents on one letter would hold the page.
    document.getElementById('search').value = asked.get('find')?.slice(0, 300) ?? ''
    show()
  }

  const goTo = (hash) => {
    const body = /^#r\d+$/.test(hash) && document.getElementById(hash.slice(1))
    if (!body) return
    if (body.hidden) {
      document.getElementById('search').value = ''
      all('.tools-bar input[type=checkbox]').forEach((input) => { input.checked = true })
      show()
    }
    setOpen(body, true)
    body.scrollIntoView({ block: 'start' })
    body.querySelector('.open').focus({ preventScroll: true })
  }

  const copy = async (button) => {
    const code = button.parentElement.querySelector('code')
    try {
      await navigator.clipboard.writeText(code.textContent)
    } catch {
      getSelection().selectAllChildren(code)
      document.execCommand('copy')
    }
    const before = button.textContent
    button.textContent = button.dataset.copied
    setTimeout(() => { button.textContent = before }, 1500)
  }

  document.addEventListener('click', (event) => {
    const target = event.target
    const button = target.closest('.line button')
    if (button) { copy(button); return }
    const row = target.closest('#results-table .collapsible')
    if (row) {
      if (target.closest('a') || String(getSelection())) return
      setOpen(row.parentElement, !isOpen(row.parentElement))
      return
    }
    const link = target.closest('a[href^="#r"]')
    if (link) { setTimeout(() => goTo(link.hash)) }
  }, true)

  document.addEventListener('toggle', (event) => showMarks(event.target), true)

  document.addEventListener('DOMContentLoaded', () => {
    usual = all('.tools-bar input[type=checkbox][checked]').map((input) => input.value).join('.')
    all('.tools-bar input').forEach((input) => input.addEventListener('input', () => { show(); keep() }))
    const ahead = () => bodies().forEach(textOf)
    document.getElementById('search').addEventListener('focus', ahead, { once: true })
    document.getElementById('open-all').addEventListener('click', () => {
      bodies().filter((body) => !body.hidden).forEach((body) => setOpen(body, true))
    })
    document.getElementById('close-all').addEventListener('click', () => {
      bodies().forEach((body) => setOpen(body, false))
    })
    show()
    const follow = () => { restore(location.hash); goTo(location.hash) }
    follow()
    addEventListener('hashchange', follow)
  })
})()

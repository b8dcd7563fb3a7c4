// Apps that start with the file to copy, whatever it finds: what each answers, and what is warned of.
import express from 'express';
import { z } from 'zod';
import { checked, error, install, Refused } from './atdf-errors.ts';

const S = z.strictObject({ n: z.int() });
const done = (_, response) => response.json({});
const closed = () => {
  throw new Refused(error('conflict', 'Closed', 'It is closed.'), 409);
};
const pass = (_, __, next) => next();
/** Mount a router with one tool. */
const mounted = (app, place, add) => {
  const router = express.Router({ mergeParams: true });
  add(router);
  app.use(place, router);
};
const z1 = (router) => router.post('/z', checked('z', S), done);
const cases = {
  routerAll: (app) => mounted(app, '/api', (router) => router.all('/x', checked('x', S), done)),
  appUse: (app) => app.use('/x', checked('x', S), done),
  arrayPath: (app) => app.post(['/x', '/y'], checked('x', S), done),
  regexPath: (app) => app.post(/\/r/, checked('r', S), done),
  regexMount: (app) => mounted(app, /\/v\d/, z1),
  arrayMount: (app) => mounted(app, ['/v1', '/v2'], z1),
  flag: (app) => app.post('/a', checked('a', S), done) && checked('off', S),
  twoApps: (app) => {
    const other = express();
    app.post('/a', checked('a', S), done);
    other.post('/b', checked('b', S), done);
    return () => install(other);
  },
  subApp: (app) => {
    const inner = express();
    inner.post('/b', checked('b', S), done);
    app.use('/sub', inner);
  },
  order: (app) => {
    mounted(app, '/rooms', (router) => router.post('/search', checked('search', S), closed).get('/me', closed));
    app.post('/rooms/:id', checked('get_room', z.strictObject({ id: z.string() })), done);
    app.get('/rooms/:id', checked('see_room', z.strictObject({ id: z.string() })), done);
    mounted(app, /\/rooms/, (router) => router.delete('/me', closed));
    app.delete('/rooms/:id', checked('end_room', z.strictObject({ id: z.string() })), done);
  },
  guard: (app) => {
    app.all('/{*path}', (_, __, next) => next(Object.assign(new Error('The key is wrong.'), { status: 401 })));
    app.post('/a{/:part}', checked('a', S), done);
  },
  rootWild: (app) => {
    mounted(app, '/', (router) => z1(router.get('/{*p}', pass).get('/:page', pass)));
  },
  self: (app) => mounted(app, '/a', (router) => z1(router.use('/v:n', router))),
};

const answers = {};
let warned = [];
console.warn = (text) => warned.push(text);
for (const [name, add] of Object.entries(cases)) {
  const app = express();
  const more = add(app);
  install(app);
  if (name === 'twoApps') more();
  const server = await new Promise((ready) => {
    const started = app.listen(0, '127.0.0.1', () => ready(started));
  });
  const calls = JSON.parse(process.argv[2])[name] ?? [];
  answers[name] = { warned, answers: [] };
  for (const [method, path, sent] of calls) {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}${path}`, {
      method,
      ...(sent !== null && { body: JSON.stringify(sent), headers: { 'content-type': 'application/json' } }),
      signal: AbortSignal.timeout(5000),
    });
    const { errors } = await answer.json();
    answers[name].answers.push([answer.status, errors?.[0].tool_name ?? null]);
  }
  warned = [];
  server.close();
  server.closeAllConnections();
}
console.log(JSON.stringify(answers));

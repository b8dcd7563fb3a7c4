// A service of somebody else's, with the file to copy.
import express from 'express';
import { z } from 'zod';
import { checked, error, install, Refused } from './atdf-errors.ts';

const app = express();
app.use(express.json());
const Parcel = z.object({
  postcode: z
    .string()
    .regex(/^[0-9]{5}$/)
    .refine((code) => !code.startsWith('9'), 'nobody drives there'),
  day: z.iso
    .date()
    .refine((day) => day > '2030-01-01', 'this day is over')
    .optional(),
});
const Track = z.strictObject({
  history: z.boolean().default(false),
  weight: z.number().positive().optional(),
  title: z.string().optional(),
  code: z.string().regex(/^[\w-.]+$/).optional(),
  tags: z.array(z.string()).optional(),
  rooms: z.array(z.int()).optional(),
});
const Book = z.strictObject({
  book_id: z.string(),
  copies: z.int().min(1).default(1),
  draft: z.boolean().default(false),
});
const Node = z.strictObject({
  name: z.string(),
  get inside() {
    return z.array(Node).optional();
  },
});

app.post('/parcels', checked('send', Parcel), () => {
  throw new Error('the database password is hunter2');
});
app.get('/track', checked('track', Track), (_, response) => response.json(response.locals.input));
app.put('/books/:book_id', checked('change', Book), (_, response) => response.json(response.locals.input));
app.delete('/books/:book_id', checked('remove', Book), () => {
  throw new Refused(error('business-rule', 'Lent', 'The book is lent.', { tool_name: 'remove' }), 409);
});
const Day = z.strictObject({ year: z.int(), month: z.int(), day: z.int() });
app.get('/days/v1.:year-:month-:day', checked('day', Day), (_, response) => response.json(response.locals.input));
app.post('/books', checked('add', Book), (request, response) => response.json(request.body));
app.post('/nodes', checked('node', Node), (request, response) => response.json(request.body));
app.post('/late', checked('late', z.object({})), () => {
  throw Object.assign(new Error('It is closed.'), { status: 409, expose: true });
});
const refuse = ({ headers }) => {
  if (headers['x-key'] === 'other') throw new Refused(error('authorization', 'Not yours', 'It is not yours.'), 403);
  throw Object.assign(new Error('The key is wrong.'), { status: 401 });
};
const Trimmed = z.preprocess((given) => ({ ...given, name: given.name.trim() }), z.object({ name: z.string() }));
app.post('/trimmed', checked('trim', Trimmed), (_, response) => response.json({}));
app.get('/private', refuse, checked('read', z.object({})), (_, response) => response.json({}));

const shelf = express.Router({ mergeParams: true });
shelf.put('/', checked('tidy', z.strictObject({ room: z.int(), rows: z.int().min(1) })), (_, response) =>
  response.json(response.locals.input),
);
const api = express.Router();
api.get('/late', checked('late_here', z.object({})), () => {
  throw Object.assign(new Error('It is closed.'), { status: 409, expose: true });
});
api.get('/copies/:number', checked('copy', z.strictObject({ number: z.int().max(9) })), (_, response) =>
  response.json(response.locals.input),
);
api.use('/rooms/:room/shelf', shelf);
app.use('/api', api);
app.use('/v1', api);
app.all('/any', checked('any', z.strictObject({})), (_, response) => response.json({}));
const [, , port] = process.argv;
const isOld = port === 'old'; // as before version 2.3 of the package
if (isOld) for (const layer of [app, api].flatMap(({ router, stack }) => router?.stack ?? stack)) delete layer.rawPath;
install(app);
if (!isOld) app.listen(Number(port), '127.0.0.1');

// The tools of the reference server, as tools.json has them; a call that is accepted is done.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

export const TOOLS = JSON.parse(readFileSync('tools.json', 'utf8'));

/**
 * The input schema of a tool, in zod: which has no `dependentRequired`, takes blanks in an
 * address of the web, and makes a union of an enumeration of numbers.
 */
export function zodOf({ input: { dependentRequired, ...input } }) {
  const text = JSON.stringify(input)
    .replaceAll('"format":"uri"', '"minLength":1')
    .replaceAll('"enum":[20,40]', '"minimum":20,"maximum":40,"multipleOf":20');
  return z.fromJSONSchema(JSON.parse(text));
}

/** Snippets of the project in archives, each with its files. From version 4 of the format on. */
import { Type } from 'typebox'
import { visibilities } from '../../../access/levels.ts'
import { nullable, oneOf } from '../../../http/parameters/schema.ts'
import { maxContent_bytes, maxFiles, maxPath_chars } from '../../snippets/snippets.ts'
import { Instant, line, longText, number, Person, text } from './format-words.ts'

/** For a line on a snippet. */
export const onSnippet = { snippet: Type.Optional(nullable(number)) }

export const snippetTables = {
  snippets: line({
    id: number,
    author: Person,
    title: Type.String({ minLength: 1, maxLength: 255 }),
    description: nullable(longText),
    visibility: oneOf(...visibilities),
    created_at: Instant,
    updated_at: Instant,
  }),
  snippet_files: line({
    snippet: number,
    position: Type.Integer({ minimum: 0, maximum: maxFiles - 1 }),
    path: text(maxPath_chars),
    content: text(maxContent_bytes),
  }),
}

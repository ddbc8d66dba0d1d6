/** Reads the lines of a table's file in pages, validated against the format. */
import type { TObject } from 'typebox'
import type { TempFile } from '../../../store/temp-file.ts'
import { fits, type Line, maxLine_bytes, maxLines, type TableName, tables } from './format.ts'
import { archiveError, parse } from './unpack.ts'

/** A page ends with the line that fills it: many short lines, or a few of the maximum length. */
const full = { lines: 500, characters: 4 * 1024 * 1024 }

/** Throws `invalid` at the first line that doesn't match. */
export function readPages<T extends TableName>(table: T, file: TempFile): AsyncGenerator<Array<Line<T>>> {
  return readLines<Line<T>>(file, { table, schema: tables[table], max: maxLines[table] })
}

interface Lines {
  table: string
  schema: TObject
  /** Any number by default. */
  max?: number | undefined
}

/** As `readPages`, of any format. */
export async function* readLines<L>(file: TempFile, { table, schema, max = Number.POSITIVE_INFINITY }: Lines): AsyncGenerator<L[]> {
  let page: L[] = []
  let number = 0
  let characters = 0
  for await (const text of linesOf(file, table)) {
    number += 1
    if (number > max) throw archiveError(`has too many lines in tables/${table}.jsonl`)
    const value = parse(text)
    if (!fits(schema, value)) throw archiveError(`has a line ${number} in tables/${table}.jsonl that is none of that table`)
    page.push(value as L)
    characters += text.length
    if (page.length < full.lines && characters < full.characters) continue
    yield page
    page = []
    characters = 0
  }
  if (page.length > 0) yield page
}

async function* linesOf(file: TempFile, table: string): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of file.open() as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8')
      parts = []
      length = 0
      from = at + 1
    }
    parts.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > maxLine_bytes) throw archiveError(`has a line in tables/${table}.jsonl that is too long`)
  }
  if (length > 0) yield Buffer.concat(parts).toString('utf8')
}

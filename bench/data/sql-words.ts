/** Expressions of SQL with which benches fill tables: instants, users and texts of numbers, on both engines. */
import { member } from './people.ts'

/** Events older than a year are removed: all that happens here fits into one, 20 seconds apart. */
const first_at = new Date(Date.now() - 330 * 86_400_000).toISOString().slice(0, 19)
const apart_s = 20
const words =
  'build fast small queue parser render network storage index deploy monitor theme mail cache sync login crash error timeout button'.split(
    ' ',
  )
const width = 8
const dictionary = words.map((word) => word.padEnd(width)).join('')

export interface SqlWords {
  /** The instant of a number: a later one for a greater one. */
  at: (number: string) => string
  user: (number: string) => string
  text: (...numbers: string[]) => string
  /** A table `counted` of the numbers `n` from 1. */
  upTo: (count: number) => string
}

const word = (number: string) => `trim(substr('${dictionary}', cast((${number}) % ${words.length} as integer) * ${width} + 1, ${width}))`

export function sqlWords(isPostgres: boolean, users: number): SqlWords {
  return {
    at(number) {
      const seconds = `(${number}) * ${apart_s}`
      return isPostgres
        ? `to_char(timestamp '${first_at}' + ${seconds} * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
        : `strftime('%Y-%m-%dT%H:%M:%fZ', '${first_at}', (${seconds}) || ' seconds')`
    },
    user: (number) => `${member.id} + (${number}) % ${users}`,
    text: (...numbers) => numbers.map(word).join(` || ' ' || `),
    upTo: (count) =>
      `(with recursive numbers (n) as (select cast(1 as bigint) union all select n + 1 from numbers where n < ${count}) select n from numbers) as counted`,
  }
}

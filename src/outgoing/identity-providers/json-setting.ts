/** Settings that are lists of objects: JSON, or the path of a file that contains it. */
import { readFileSync } from 'node:fs'
import { refuse } from '../../config.values.ts'

/** One object of the list: each read consumes its field, and `end` rejects fields that are left. */
export interface Fields {
  text: (name: string, form: RegExp, fallback?: string) => string
  optional: (name: string, form: RegExp) => string | null
  flag: (name: string) => boolean | null
  number: (name: string, among: readonly number[]) => number
  end: () => void
}

/** The objects of a setting, each parsed by `read`. Errors don't contain the value, which may be secret. */
export function readList<T>(value: string, read: (fields: Fields, index: number) => T): T[] {
  if (!value) return []
  const list = parse(value.startsWith('/') ? readFile(value) : value)
  if (!Array.isArray(list)) return refuse('a JSON list of objects, or the path of a file with one')
  return list.map((one: unknown, index) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return refuse('a JSON list of objects')
    const fields = fieldsOf({ ...one }, index)
    const found = read(fields, index)
    fields.end()
    return found
  })
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return refuse(`the path of a file that can be read (${path}: ${(error as NodeJS.ErrnoException).code})`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('valid JSON, or the path of a file with it')
  }
}

function fieldsOf(rest: Record<string, unknown>, index: number): Fields {
  const wrong = (name: string) => refuse(`a list whose entry ${index + 1} has a valid "${name}"`)
  const take = (name: string): unknown => {
    const { [name]: found } = rest
    delete rest[name]
    return found
  }
  const optional = (name: string, form: RegExp) => {
    const found = take(name) ?? null
    return found === null || (typeof found === 'string' && form.test(found)) ? found : wrong(name)
  }
  return {
    optional,
    text: (name, form, fallback) => optional(name, form) ?? fallback ?? wrong(name),
    flag(name) {
      const found = take(name) ?? null
      return found === null || typeof found === 'boolean' ? found : wrong(name)
    },
    number(name, among) {
      const found = take(name)
      return typeof found === 'number' && among.includes(found) ? found : wrong(name)
    },
    end() {
      const [unknown] = Object.keys(rest)
      if (unknown !== undefined) refuse(`a list whose entry ${index + 1} has no unknown field "${unknown.slice(0, 50)}"`)
    },
  }
}

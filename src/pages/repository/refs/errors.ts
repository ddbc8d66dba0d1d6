/** Errors of the forms of refs, by field. */
import { Failure, plainWords } from '../../../failure.ts'
import type { Typed } from '../../frame/declaration.ts'

/** Errors with a status of their own in the API are errors of the form here. */
export function asRefusedForm(error: unknown): never {
  if (!(error instanceof Failure)) throw error
  const { code } = error
  if (code !== 'method_not_allowed' && code !== 'ref_denied' && code !== 'ref_moved' && code !== 'unprocessable') throw error
  throw new Failure('invalid', plainWords(error), { cause: error })
}

/** Moves messages about the whole form to the first field whose pattern matches them. */
export function byField({ values, errors }: Typed, patterns: ReadonlyArray<readonly [field: string, about: RegExp]>): Typed {
  const all: string[] = []
  const of: Record<string, readonly string[]> = { ...errors.of }
  for (const sentence of errors.all) {
    const [field] = patterns.find(([, about]) => about.test(sentence)) ?? []
    if (field === undefined) all.push(sentence)
    else of[field] = [...(of[field] ?? []), sentence]
  }
  return { values, errors: { all, of } }
}

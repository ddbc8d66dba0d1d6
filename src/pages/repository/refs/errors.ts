/** Errors of the forms of refs, by the field it is about. */
import { Failure, plainWords } from '../../../failure.ts'
import type { Typed } from '../../frame/declaration.ts'

/** Refusals with a status of their own in the API are ones of the form here. */
export function asRefusedForm(error: unknown): never {
  if (!(error instanceof Failure)) throw error
  const { code } = error
  if (code !== 'method_not_allowed' && code !== 'ref_denied' && code !== 'ref_moved' && code !== 'unprocessable') throw error
  throw new Failure('invalid', plainWords(error), { cause: error })
}

/** With the sentences about the whole moved to the first field whose pattern fits them. */
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

/**
 * Translates refusals for pages. Services speak English, as the API does: `languages/` has their whole sentences, with
 * holes for values. A sentence that isn't there stays English.
 */
import { type Table, tableOfRefusals } from './language.ts'
import { filled } from './sentences.ts'

/** A sentence with holes: the texts around them. */
interface Form {
  around: readonly [string, ...string[]]
  translation: string
}

const forms = new WeakMap<Table, readonly Form[]>()

export function refusalInWords(sentence: string): string {
  const table = tableOfRefusals()
  if (table === null) return sentence
  if (Object.hasOwn(table, sentence)) return table[sentence] ?? sentence
  for (const { around, translation } of formsOf(table)) {
    const values = valuesIn(sentence, around)
    if (values) return filled(translation, values)
  }
  return sentence
}

/** The longest first: `{0} has already been taken` before `{0} taken`. */
function formsOf(table: Table): readonly Form[] {
  const known = forms.get(table)
  if (known) return known
  const found = Object.entries(table).flatMap(([key, translation]): Form[] => {
    const [first = '', ...rest] = key.split(/\{\d+\}/)
    return rest.length > 0 ? [{ around: [first, ...rest], translation }] : []
  })
  found.sort((a, b) => lengthOf(b) - lengthOf(a))
  forms.set(table, found)
  return found
}

function lengthOf({ around }: Form): number {
  return around.reduce((sum, text) => sum + text.length, 0)
}

/** The values of a sentence, in the order of the holes; null if the sentence has another form. */
function valuesIn(sentence: string, [first, ...rest]: Form['around']): string[] | null {
  if (!sentence.startsWith(first)) return null
  const values: string[] = []
  let from = first.length
  for (const [index, text] of rest.entries()) {
    const isLast = index === rest.length - 1
    const at = isLast ? sentence.length - text.length : sentence.indexOf(text, from)
    if (at < from || !sentence.startsWith(text, at)) return null
    values.push(sentence.slice(from, at))
    from = at + text.length
  }
  return values
}

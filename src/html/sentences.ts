/** Sentences in code, in the language of the page: for a title, a notice, a label, an attribute. */
import { currentLanguage, translationOf } from './language.ts'

const keys = new WeakMap<TemplateStringsArray, string>()

/** t`Delete ${name}` is the translation of `Delete {0}`. It is text, not HTML; a line break in the source is a space. */
export function t(strings: TemplateStringsArray, ...parts: ReadonlyArray<string | number>): string {
  const key = keys.get(strings) ?? keyOf(strings)
  keys.set(strings, key)
  return filled(translationOf(key) ?? key, parts)
}

/** The text of a template with numbered holes. */
export function keyOf(strings: readonly string[]): string {
  return strings.reduce((text, next, index) => `${text}{${index - 1}}${next}`).replace(/\s*\n\s*/g, ' ')
}

/** A text with its numbered holes filled. */
export function filled(text: string, parts: ReadonlyArray<string | number>): string {
  return text.replace(/\{(\d+)\}/g, (hole, index) => String(parts[Number(index)] ?? hole))
}

/** A table of sentences, at any depth, each of which is translated whenever it is read. Functions in it use `t`. */
export function translated<T extends object>(table: T): T {
  const read = Array.isArray(table) ? [] : {}
  for (const [name, value] of Object.entries(table)) {
    const get = typeof value === 'string' ? () => translationOf(value) ?? value : null
    const nested = typeof value === 'object' && value !== null ? translated(value) : value
    Object.defineProperty(read, name, get ? { get, enumerable: true } : { value: nested, enumerable: true })
  }
  return read as T
}

/** `1 issue`, `2 issues`: the translation has a form for each category of the language (CLDR), such as `{0} Issue|{0} Issues`. */
export function plural(number: number, shown: string, one: string, many: string): string {
  const language = currentLanguage()
  const forms = translationOf(`{0} ${one}|{0} ${many}`, language)?.split('|')
  if (!forms) return `${shown} ${number === 1 ? one : many}`
  const rules = new Intl.PluralRules(language)
  const at = rules.resolvedOptions().pluralCategories.indexOf(rules.select(number))
  return filled(forms[at] ?? (forms.at(-1) as string), [shown])
}

/** A sentence that a feature declares, such as what an integration is for (`declarations` of tools/sentences.mjs). */
export function declared(sentence: string): string {
  return translationOf(sentence) ?? sentence
}

/** HTML templates of pages: their texts are in the language of the page. */
import { currentLanguage, type Language, translationOf } from './language.ts'
import { type Translated, translateTemplate } from './segments.ts'
import { Html, type Part, unindented, html as untranslated, written } from './untranslated.ts'

export { Html } from './untranslated.ts'

/** Interpolated values are escaped unless they are Html. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const language = currentLanguage()
  if (language === 'en') return untranslated(strings, ...parts)
  const { texts, order } = translatedFor(language, strings)
  // A translation may have the values in another order.
  return new Html(order.reduce((text, part, index) => text + written(parts[part] as Part) + texts[index + 1], texts[0] as string))
}

const translations = new WeakMap<TemplateStringsArray, Partial<Record<Language, Translated>>>()

function translatedFor(language: Language, strings: TemplateStringsArray): Translated {
  const known = translations.get(strings) ?? {}
  translations.set(strings, known)
  known[language] ??= translateTemplate(unindented(strings), (key) => translationOf(key, language))
  return known[language]
}

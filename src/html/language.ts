/**
 * The language of a page. The English texts in the source are the keys of the tables in `languages/`: `html` looks up the texts of its
 * template, `t` a sentence in code, and `translated` those of a table.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Named as their speakers name them. */
export const languages = { en: 'English', de: 'Deutsch', zh: '中文' } as const
export type Language = keyof typeof languages

/** A sentence in English, and in another language. Both have the same holes, such as `{0}`, and the same elements, such as `<a>`. */
export type Table = Readonly<Record<string, string>>

/** Sentences of pages, of scripts in the browser, and refusals by services. */
interface Tables {
  pages: Table
  scripts: Table
  refusals: Table
}

const tables = new Map<Language, Tables>()
/** The tables of a language by wing, those of scripts as `web`. */
type Loaded = Readonly<Record<string, Table>> & { web: Table; refusals: Table }
const load: Partial<Record<Language, () => Promise<Loaded>>> = {
  de: () => import('./languages/german/index.ts'),
  zh: () => import('./languages/chinese/index.ts'),
}

const current = new AsyncLocalStorage<Language>()

/** Runs work whose texts are in this language. Outside of such work, as in jobs and mails, the language is English. */
export async function inLanguage<T>(language: Language, work: () => Promise<T>): Promise<T> {
  const loaded = tables.has(language) ? undefined : await load[language]?.()
  if (loaded) tables.set(language, tablesIn(loaded))
  return current.run(language, work)
}

function tablesIn({ refusals, ...wings }: Loaded): Tables {
  return { pages: Object.assign({}, ...Object.values(wings)), scripts: wings.web, refusals }
}

/** An iterator whose steps keep the language of now, whoever asks for them. */
export function keepingLanguage<T>(steps: AsyncIterable<T>): AsyncIterator<T> {
  const language = currentLanguage()
  const iterator = steps[Symbol.asyncIterator]()
  return {
    next: () => current.run(language, () => iterator.next()),
    return: async () => current.run(language, async () => (await iterator.return?.()) ?? { done: true, value: undefined }),
  }
}

export function currentLanguage(): Language {
  return current.getStore() ?? 'en'
}

/** The translation of a text; undefined in English. */
export function translationOf(key: string, language = currentLanguage()): string | undefined {
  const table = tables.get(language)?.pages
  return table && Object.hasOwn(table, key) ? table[key] : undefined
}

/** The translations that scripts of a page need; null in English. */
export function sentencesOfScripts(): Table | null {
  return tables.get(currentLanguage())?.scripts ?? null
}

/** Translations of refusals by services; null in English. */
export function tableOfRefusals(): Table | null {
  return tables.get(currentLanguage())?.refusals ?? null
}

/** The first language of an `Accept-Language` header (RFC 9110, 12.5.4) that there is, by its primary subtag; English without one. */
export function preferredLanguage(header: string): Language {
  const wanted = header.split(',', 20).map((part) => {
    const [range = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { range, weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  const known = wanted.flatMap(({ range, weight }) => {
    const language = range.split('-')[0] as string
    return weight > 0 && isLanguage(language) ? [{ language, weight }] : []
  })
  return known.sort((a, b) => b.weight - a.weight)[0]?.language ?? 'en'
}

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text)
}

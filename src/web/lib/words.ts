/** Sentences of scripts in the language of the page, which brings the translations of them (`document.ts` of the pages). */

const words: Readonly<Record<string, string>> = JSON.parse(document.querySelector('#words')?.textContent ?? '{}')

/** t`Moving to ${name}`, as in html/sentences.ts. */
export function t(strings: TemplateStringsArray, ...parts: ReadonlyArray<string | number>): string {
  const key = strings.reduce((text, next, index) => `${text}{${index - 1}}${next}`)
  return (words[key] ?? key).replace(/\{(\d+)\}/g, (hole, index) => String(parts[Number(index)] ?? hole))
}

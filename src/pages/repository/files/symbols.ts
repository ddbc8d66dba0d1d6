/** Finds declarations of functions, classes and the like in highlighted code, for the languages whose grammar marks them. */

export interface CodeSymbol {
  /** As HTML, as the lines are. */
  name: string
  line: number
  /** The word that declares it. */
  kind: string
}

/** More make a menu that nobody reads. */
const maxSymbols = 500

/** Words that begin a declaration, in any of the languages. */
const kinds = [
  'class|def|defmodule|defp|enum|extension|fn|fun|func|function|interface',
  'macro|module|namespace|object|protocol|record|struct|trait|type|union',
].join('|')

/** Such a word, and behind it the name; between them there may be others, and the receiver of a method. */
const declared = new RegExp(`<span class="h-k">(${kinds})</span>((?:[^=;<]|</?span[^>]*>){0,200}?)<span class="h-t">([^<]{1,200})</span>`)

/** Methods and types of Go have no colour. */
const declaredMethod = /^<span class="h-k">(func)<\/span> \([^()]{1,200}\) (\w{1,200})[([]/
const declaredType = /^<span class="h-k">type<\/span> (\w{1,200}) <span class="h-k">(struct|interface)<\/span>/

/** In longer lines code is generated, and nobody looks for it. */
const maxLine_chars = 2_000

/** The symbols in the lines of a file as HTML, in their order. */
export function symbolsOf(lines: readonly string[]): CodeSymbol[] {
  const found: CodeSymbol[] = []
  for (const [index, line] of lines.entries()) {
    if (line.length > maxLine_chars) continue
    const symbol = symbolIn(line)
    if (symbol) found.push({ ...symbol, line: index + 1 })
    if (found.length === maxSymbols) break
  }
  return found
}

function symbolIn(line: string): Omit<CodeSymbol, 'line'> | null {
  const [, kind, , name] = declared.exec(line) ?? []
  if (kind !== undefined && name !== undefined) return { kind, name }
  const [, func, method] = declaredMethod.exec(line) ?? []
  if (func !== undefined && method !== undefined) return { kind: func, name: method }
  const [, type, ofType] = declaredType.exec(line) ?? []
  return type !== undefined && ofType !== undefined ? { kind: ofType, name: type } : null
}

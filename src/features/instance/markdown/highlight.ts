/** Highlights source code as balanced HTML for each line, whose text is exactly the source. Only `worker.ts` has enough time for it. */
import type { HLJSApi, LanguageFn } from 'highlight.js'
import { revealControls } from './controls.ts'

let core: HLJSApi | null = null

/** Grammars that others need for embedded languages. */
const embedded: Record<string, readonly string[]> = {
  asciidoc: ['xml'],
  dart: ['markdown', 'xml'],
  django: ['xml'],
  dockerfile: ['bash'],
  erb: ['xml', 'ruby'],
  haml: ['ruby'],
  handlebars: ['xml'],
  javascript: ['xml', 'css'],
  livescript: ['javascript'],
  markdown: ['xml'],
  nix: ['markdown', 'xml'],
  'php-template': ['xml', 'php'],
  qml: ['xml'],
  shell: ['bash'],
  twig: ['xml'],
  typescript: ['xml', 'css'],
  xml: ['css', 'javascript'],
  xquery: ['xml'],
}

/**
 * Lines of HTML, joined by line breaks; null if there is no grammar.
 * @param language a name of highlight.js or an alias, as after a Markdown fence
 */
export async function highlight(language: string, text: string): Promise<string | null> {
  return (await prepareGrammar(language)) ? highlightPrepared(language, text) : null
}

/** Loads a grammar and those embedded in it; false if there is none. */
export async function prepareGrammar(language: string): Promise<boolean> {
  core ??= (await import('highlight.js/lib/core')).default
  return load(core, language.toLowerCase(), 0)
}

/** As `highlight`, with a grammar that is already loaded. */
export function highlightPrepared(language: string, text: string): string | null {
  const name = grammarCalled(language.toLowerCase())
  if (!core?.getLanguage(name)) return null
  return revealControls(balanceLines(core.highlight(text, { language: name, ignoreIllegals: true }).value))
}

/** Names that were looked up, and whether there is a grammar. */
const known = new Map<string, boolean>()
/** Limited, since the names come from users. */
const maxKnown = 1_000

async function load(highlighter: HLJSApi, name: string, depth: number): Promise<boolean> {
  const grammar = grammarCalled(name)
  const found = known.get(grammar)
  if (found !== undefined) return found
  if (!/^[a-z0-9-]{1,30}$/.test(grammar)) return false
  if (known.size >= maxKnown) forgetMissing()
  const made = await import(`highlight.js/lib/languages/${grammar}`).catch(() => null)
  known.set(grammar, made !== null)
  if (!made) return false
  highlighter.registerLanguage(grammar, functionOf(made))
  // Grammars embed each other, so the depth is limited.
  if (depth < 2) for (const inner of embedded[grammar] ?? []) await load(highlighter, inner, depth + 1)
  return true
}

/** Forgets names without a grammar, but not existing grammars: invented names must not keep these from being loaded. */
function forgetMissing(): void {
  for (const [name, isThere] of known) if (!isThere) known.delete(name)
}

/** The export of a grammar: depending on the loader, it is the function or a module around it. */
function functionOf(found: { default: LanguageFn | { default: LanguageFn } }): LanguageFn {
  return typeof found.default === 'function' ? found.default : found.default.default
}

/** Names that people write after a fence, or file extensions, mapped to the file of the grammar. */
const aliases: Record<string, string> = {
  'c++': 'cpp',
  'c#': 'csharp',
  'f#': 'fsharp',
  cc: 'cpp',
  console: 'shell',
  cs: 'csharp',
  docker: 'dockerfile',
  ex: 'elixir',
  golang: 'go',
  h: 'c',
  hpp: 'cpp',
  hs: 'haskell',
  html: 'xml',
  js: 'javascript',
  json5: 'json',
  jsonc: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  make: 'makefile',
  md: 'markdown',
  mjs: 'javascript',
  objc: 'objectivec',
  patch: 'diff',
  pl: 'perl',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  svg: 'xml',
  tex: 'latex',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
}

function grammarCalled(name: string): string {
  return Object.hasOwn(aliases, name) ? (aliases[name] as string) : name
}

/** The few colors, by the scopes of highlight.js; other scopes get none. */
const colours: Record<string, string> = {
  comment: 'h-c',
  quote: 'h-c',
  meta: 'h-m',
  keyword: 'h-k',
  doctag: 'h-k',
  'selector-tag': 'h-k',
  name: 'h-k',
  string: 'h-s',
  regexp: 'h-s',
  char: 'h-s',
  link: 'h-s',
  code: 'h-s',
  number: 'h-n',
  literal: 'h-n',
  symbol: 'h-n',
  bullet: 'h-n',
  title: 'h-t',
  section: 'h-t',
  'selector-id': 'h-t',
  'selector-class': 'h-t',
  built_in: 'h-b',
  type: 'h-b',
  attr: 'h-a',
  attribute: 'h-a',
  variable: 'h-a',
  'template-variable': 'h-a',
  'selector-attr': 'h-a',
  'selector-pseudo': 'h-a',
  addition: 'h-i',
  deletion: 'h-d',
  emphasis: 'h-e',
  strong: 'h-w',
}

/** Closes open elements at the end of each line and opens them again on the next. A carriage return would be parsed as a line break. */
function balanceLines(html: string): string {
  /** The class of every open element; empty for those without a color, which are left out. */
  const open: string[] = []
  return html.replace(/<span class="(?:hljs-([\w-]+))?[^"]*">|<\/span>|\n|\r/g, (token, scope: string | undefined) => {
    if (token === '\r') return '&#13;'
    if (token === '\n') {
      const start = open.join('')
      return start === '' ? '\n' : `${open.map((tag) => (tag === '' ? '' : '</span>')).join('')}\n${start}`
    }
    if (token === '</span>') return open.pop() === '' ? '' : token
    const colour = colours[scope ?? '']
    const tag = colour === undefined ? '' : `<span class="${colour}">`
    open.push(tag)
    return tag
  })
}

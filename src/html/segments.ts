/**
 * The texts of a template that are translated as a whole: those between two block elements, with the inline elements and holes in them, and
 * attributes that are read. In a key, a hole is `{0}`, and an element has its name without attributes: `Sign in to <a>{0}</a>`.
 */

type Token =
  | { kind: 'text'; raw: string }
  | { kind: 'hole'; raw: string }
  /** A whole element without text, such as `<br>` or a picture. */
  | { kind: 'empty'; raw: string; name: string }
  | { kind: 'open' | 'close'; raw: string; name: string }

const hole = (index: number) => `\uE000${index}\uE001`
const holes = /\uE000(\d+)\uE001/
const inline = new Set(
  'a abbr b bdi bdo br cite code del dfn em i img ins kbd mark q s samp small span strong sub sup svg time u var wbr'.split(' '),
)
const empty = new Set(['br', 'img', 'svg', 'wbr'])
/** Programs and keys are the same in all languages. */
const verbatim = new Set(['code', 'kbd', 'samp'])
const tokenPattern =
  /\uE000\d+\uE001|<svg\b[\s\S]*?<\/svg>|<!--[\s\S]*?-->|<[!?][^>]*>|<\/?[a-zA-Z][a-zA-Z0-9]*(?:"[^"]*"|[^"<>])*>|[^<\uE000]+|</g
const attributes = /(\s(?:title|placeholder|aria-label|aria-description|alt|label)=")([^"]*)(")/g

/** A translated template: its texts, and the indices of the values between them. */
export interface Translated {
  texts: readonly string[]
  order: readonly number[]
}

/** @param find the translation of a key; undefined without one */
export function translateTemplate(texts: readonly string[], find: (key: string) => string | undefined): Translated {
  const joined = texts.reduce((text, next, index) => text + hole(index - 1) + next)
  const translated = translateText(joined, find)
  const parts = translated.split(holes)
  return {
    texts: parts.filter((_, index) => index % 2 === 0),
    order: parts.filter((_, index) => index % 2 === 1).map(Number),
  }
}

/** The keys of a template, in their order. */
export function keysOf(texts: readonly string[]): string[] {
  const keys: string[] = []
  translateTemplate(texts, (key) => {
    keys.push(key)
    return undefined
  })
  return keys
}

type Find = (key: string) => string | undefined

function translateText(text: string, find: Find): string {
  const tokens = (text.match(tokenPattern) ?? []).map(tokenOf)
  const withAttributes = tokens.map((token) =>
    token.kind === 'text' || token.kind === 'hole' ? token : { ...token, raw: translateAttributes(token.raw, find) },
  )
  // A template may be attributes alone.
  if (/^ [a-z-]+(?:="|$)/.test(text) && !text.includes('<')) return translateAttributes(text, find)
  return runsOf(withAttributes)
    .map((run) => translateRun(run, find))
    .join('')
}

function tokenOf(raw: string): Token {
  if (raw.startsWith('\uE000')) return { kind: 'hole', raw }
  const name = /^<\/?([a-zA-Z][a-zA-Z0-9]*)/.exec(raw)?.[1]?.toLowerCase()
  if (!name) return /^<[!?]/.test(raw) ? { kind: 'open', raw, name: '!' } : { kind: 'text', raw }
  if (empty.has(name)) return { kind: 'empty', raw, name }
  return { kind: raw.startsWith('</') ? 'close' : 'open', raw, name }
}

function translateAttributes(raw: string, find: Find): string {
  return raw.replace(attributes, (all, before: string, value: string, after: string) => {
    const text = tokensToKey([...value.matchAll(new RegExp(`${holes.source}|[^\uE000]+`, 'g'))].map(([one]) => tokenOf(one)))
    if (!hasWords(text.key)) return all
    const translated = find(text.key)
    return translated === undefined ? all : before + rawOf(translated, text.raws).replaceAll('"', '&quot;') + after
  })
}

/** Parts between block elements: a run holds inline elements that are closed in it, or a single other tag. */
function runsOf(tokens: readonly Token[]): Token[][] {
  const runs: Token[][] = []
  let run: Token[] = []
  const cut = (alone?: Token) => {
    if (run.length > 0) runs.push(run)
    if (alone) runs.push([alone])
    run = []
  }
  const closed = closedInline(tokens)
  for (const token of tokens) {
    if (token.kind === 'open' || token.kind === 'close') {
      if (closed.has(token)) run.push(token)
      else cut(token)
    } else run.push(token)
  }
  cut()
  return runs
}

/** The tags of inline elements whose beginning and end stand in the same run. */
function closedInline(tokens: readonly Token[]): Set<Token> {
  const closed = new Set<Token>()
  let open: Token[] = []
  for (const token of tokens) {
    if (token.kind !== 'open' && token.kind !== 'close') continue
    if (!inline.has(token.name)) open = []
    else if (token.kind === 'open') open.push(token)
    else {
      const last = open.at(-1)
      if (last && 'name' in last && last.name === token.name) {
        open.pop()
        closed.add(last).add(token)
      } else open = []
    }
  }
  return closed
}

function translateRun(run: readonly Token[], find: Find): string {
  const [first] = run
  if (run.length === 1 && (first?.kind === 'open' || first?.kind === 'close')) return first.raw
  const [from, to] = trimmed(run)
  const edges = [run.slice(0, from), run.slice(to)].map((tokens) => tokens.map(({ raw }) => raw).join(''))
  const middle = run.slice(from, to)
  return edges[0] + (hasWordsOnTop(middle) ? translateSegment(middle, find) : translateElements(middle, find)) + edges[1]
}

/** White space and pictures at its edges are no part of a sentence. */
function trimmed(run: readonly Token[]): [number, number] {
  const isEdge = (token: Token) => token.kind === 'empty' || (token.kind === 'text' && token.raw.trim() === '')
  let from = 0
  let to = run.length
  while (from < to && isEdge(run[from] as Token)) from++
  while (to > from && isEdge(run[to - 1] as Token)) to--
  return [from, to]
}

/** Whether there are words outside of the elements. */
function hasWordsOnTop(tokens: readonly Token[]): boolean {
  let depth = 0
  return tokens.some((token) => {
    if (token.kind === 'open') depth++
    if (token.kind === 'close') depth--
    return depth === 0 && token.kind === 'text' && hasWords(token.raw)
  })
}

function translateSegment(tokens: readonly Token[], find: Find): string {
  const { key, raws } = tokensToKey(tokens)
  const translated = find(key.trim())
  if (translated === undefined) return tokens.map(({ raw }) => raw).join('')
  const before = key.slice(0, key.length - key.trimStart().length)
  const after = key.slice(key.trimEnd().length)
  return before + rawOf(translated, raws) + after
}

/** Each element is a run of its own. */
function translateElements(tokens: readonly Token[], find: Find): string {
  let text = ''
  let depth = 0
  let inside: Token[] = []
  let isVerbatim = false
  for (const token of tokens) {
    if (token.kind === 'close' && --depth === 0) {
      text += isVerbatim ? inside.map(({ raw }) => raw).join('') : translateRun(inside, find)
      inside = []
    }
    if (depth === 0) text += token.raw
    else inside.push(token)
    if (token.kind === 'open' && depth++ === 0) isVerbatim = verbatim.has(token.name) || token.raw.includes('translate="no"')
  }
  return text
}

/** The key of tokens, and what its holes and elements stand for. */
function tokensToKey(tokens: readonly Token[]): { key: string; raws: Map<string, string> } {
  const raws = new Map<string, string>()
  const counts = new Map<string, number>()
  const open: string[] = []
  let holesSoFar = 0
  const named = (name: string) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name}${count}`
  }
  const signOf = (token: Token): string => {
    if (token.kind === 'text') return token.raw.replace(/\s+/g, ' ')
    if (token.kind === 'hole') return `{${holesSoFar++}}`
    if (token.kind === 'close') return `</${open.pop()}>`
    const name = named(token.name)
    if (token.kind === 'open') open.push(name)
    return `<${name}>`
  }
  let key = ''
  for (const token of tokens) {
    const sign = signOf(token)
    if (token.kind !== 'text') raws.set(sign, token.raw)
    key += sign
  }
  return { key, raws }
}

function rawOf(translated: string, raws: ReadonlyMap<string, string>): string {
  return translated.replace(/\{\d+\}|<\/?[a-z]+\d*>/g, (sign) => raws.get(sign) ?? sign)
}

function hasWords(text: string): boolean {
  return /\p{L}{2}/u.test(text.replace(/&\w+;|<[^>]*>/g, ' '))
}

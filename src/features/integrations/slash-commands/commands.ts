/** The slash commands, and which of them a text calls. Pure functions. */

export type Command =
  | { name: 'issue show' | 'issue close'; iid: number }
  | { name: 'issue new'; title: string; description: string }
  | { name: 'issue search'; query: string }
  | { name: 'issue move'; iid: number; path: string }
  | { name: 'issue comment'; iid: number; body: string }
  | { name: 'deploy'; from: string; to: string }

/** A feature of the project; commands of disabled features don't exist. */
export type Feature = 'issues' | 'builds'

interface Syntax {
  /** The words with which a text calls the command. */
  names: readonly string[]
  feature: Feature
  usage: string
  /** Null if the rest of the text isn't valid for the command. */
  read: (rest: string) => Command | null
}

const syntaxes: readonly Syntax[] = [
  {
    names: ['issue show'],
    feature: 'issues',
    usage: 'issue show <id>',
    read: (rest) => numbered(rest, (iid) => ({ name: 'issue show', iid })),
  },
  { names: ['issue new', 'issue create'], feature: 'issues', usage: 'issue new <title> ⇧↵ <description>', read: newIssue },
  { names: ['issue search'], feature: 'issues', usage: 'issue search <words>', read: searchIssues },
  { names: ['issue move'], feature: 'issues', usage: 'issue move <id> to <path of a project>', read: moveIssue },
  {
    names: ['issue close'],
    feature: 'issues',
    usage: 'issue close <id>',
    read: (rest) => numbered(rest, (iid) => ({ name: 'issue close', iid })),
  },
  { names: ['issue comment'], feature: 'issues', usage: 'issue comment <id> ⇧↵ <text>', read: commentOnIssue },
  { names: ['deploy'], feature: 'builds', usage: 'deploy <environment> to <other environment>', read: deploy },
]

/** Null if the text calls no command of these features. */
export function readCommand(text: string, features: readonly Feature[]): Command | null {
  for (const { names, feature, read } of syntaxes) {
    const rest = features.includes(feature) ? names.map((name) => after(name, text)).find((found) => found !== null) : null
    if (rest) return read(rest)
  }
  return null
}

export function usagesOf(features: readonly Feature[]): string[] {
  return syntaxes.filter(({ feature }) => features.includes(feature)).map(({ usage }) => usage)
}

/** The text after these words; null if the text begins with others. */
function after(words: string, text: string): string | null {
  let rest = text
  for (const word of words.split(' ')) {
    const [first, others] = cut(rest)
    if (first !== word) return null
    rest = others
  }
  return rest
}

/** The first word, and the rest. */
function cut(text: string): [word: string, rest: string] {
  const trimmed = text.trim()
  const [word = ''] = /^\S*/.exec(trimmed) ?? []
  return [word, trimmed.slice(word.length).trim()]
}

function numbered(text: string, make: (iid: number, rest: string) => Command | null): Command | null {
  const [word, rest] = cut(text)
  const [, iid] = /^#?(\d{1,15})$/.exec(word) ?? []
  return iid === undefined ? null : make(Number(iid), rest)
}

function newIssue(rest: string): Command | null {
  const [title = ''] = rest.split('\n', 1)
  return title === '' ? null : { name: 'issue new', title: title.trim(), description: rest.slice(title.length).trim() }
}

function searchIssues(rest: string): Command | null {
  const [query = ''] = rest.split('\n', 1)
  return query === '' ? null : { name: 'issue search', query: query.trim() }
}

function moveIssue(text: string): Command | null {
  return numbered(text, (iid, rest) => {
    const [first, others] = cut(rest)
    const path = first === 'to' && others !== '' ? cut(others)[0] : first
    return path === '' ? null : { name: 'issue move', iid, path }
  })
}

function commentOnIssue(text: string): Command | null {
  return numbered(text, (iid, body) => (body === '' ? null : { name: 'issue comment', iid, body }))
}

/** Split at the last `to`, since names of environments may contain spaces. */
function deploy(rest: string): Command | null {
  const words = rest.split(/\s+/)
  const at = words.lastIndexOf('to', words.length - 2)
  return at < 1 ? null : { name: 'deploy', from: words.slice(0, at).join(' '), to: words.slice(at + 1).join(' ') }
}

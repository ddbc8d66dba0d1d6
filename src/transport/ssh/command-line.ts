/** Parses the command of an SSH client with the quoting rules of a shell, but no other shell syntax. */

export type SshCommand =
  | { name: 'git-upload-pack' | 'git-receive-pack' | 'git-upload-archive'; path: string }
  | { name: 'git-lfs-authenticate'; path: string; operation: 'download' | 'upload' }

const gitCommands = ['git-upload-pack', 'git-receive-pack', 'git-upload-archive'] as const

/** The command in this line; null if it is unknown, or if there isn't exactly one. */
export function parseCommand(line: string): SshCommand | null {
  const words = splitWords(line)
  if (!words) return null
  // Some clients send `git upload-pack 'path'`.
  const [name, ...args] = words[0] === 'git' ? [`git-${words[1]}`, ...words.slice(2)] : words
  const path = parsePath(args[0])
  if (path === null) return null
  const service = gitCommands.find((known) => known === name)
  if (service && args.length === 1) return { name: service, path }
  const [, operation] = args
  if (name === 'git-lfs-authenticate' && args.length === 2 && (operation === 'download' || operation === 'upload')) {
    return { name, path, operation }
  }
  return null
}

const longestLine = 4_096
const control = /\p{Cc}/u

/** Words separated by spaces, with shell quoting; null for an open quote, or anything that a shell would interpret. */
function splitWords(line: string): string[] | null {
  if (line.length > longestLine || control.test(line)) return null
  const words: string[] = []
  const word = /\s*((?:'[^']*'|"(?:[^"\\$`]|\\["\\$`])*"|\\.|[^\s'"\\$`;&|<>(){}*?[\]#])+)(?=\s|$)/gy
  const rest = line.trimEnd()
  while (word.lastIndex < rest.length) {
    const found = word.exec(rest)
    if (!found) return null
    words.push(unquote(found[1] as string))
  }
  return words
}

function unquote(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_, single?: string, double?: string, escaped?: string) => {
    return single ?? double?.replace(/\\(.)/g, '$1') ?? escaped ?? ''
  })
}

/** `group/project` or `group.wiki`, from all forms that clients send: with a leading slash or `~/`, with trailing `.git` or slash. */
function parsePath(sent: string | undefined): string | null {
  const [, path] = /^(?:~?\/)?([^/].*?)(?:\.git)?\/?$/.exec(sent ?? '') ?? []
  const names = path?.split('/') ?? []
  const isRepository = names.length > 1 || /.\.wiki$/i.test(path ?? '')
  return path !== undefined && isRepository && names.every(isName) ? path : null
}

/** Rejects what can't be a namespace or project: paths of a file system, or arguments for another program. */
function isName(name: string): boolean {
  return !/^(\.{0,2}$|[-~])/.test(name)
}

/** Parses the command of an SSH client with the quoting of a shell, and nothing else of a shell. */

export type SshCommand =
  | { name: 'git-upload-pack' | 'git-receive-pack' | 'git-upload-archive'; path: string }
  | { name: 'git-lfs-authenticate'; path: string; operation: 'download' | 'upload' }

const gitCommands = ['git-upload-pack', 'git-receive-pack', 'git-upload-archive'] as const

/** The command in this line; null if it is unknown, or not exactly one. */
export function parseCommand(line: string): SshCommand | null {
  const words = splitWords(line)
  if (!words) return null
  // `git upload-pack 'path'` is what some clients send.
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

/** Words separated by spaces, with the quotes of a shell; null for an open quote, or for anything a shell would execute. */
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

/** `group/project`, or `group.wiki`, from all forms that clients send: with a slash or `~/` before, with `.git` or a slash behind. */
function parsePath(sent: string | undefined): string | null {
  const [, path] = /^(?:~?\/)?([^/].*?)(?:\.git)?\/?$/.exec(sent ?? '') ?? []
  const names = path?.split('/') ?? []
  const isRepository = names.length > 1 || /.\.wiki$/i.test(path ?? '')
  return path !== undefined && isRepository && names.every(isName) ? path : null
}

/** Never names of namespaces or projects: these are meant for a file system, or for another program. */
function isName(name: string): boolean {
  return !/^(\.{0,2}$|[-~])/.test(name)
}

/** Valid paths of users, groups and projects: none that could be mistaken for another URL of the server. */

/** First parts of the server's own URLs. */
const reservedAtTop = new Set(
  `- .well-known 404.html 422.html 500.html 502.html 503.html abuse_reports admin api apple-touch-icon-precomposed.png
  apple-touch-icon.png assets autocomplete ci dashboard deploy.html explore favicon.ico favicon.png files groups health_check
  help import invites jwt login new notification_settings oauth opensearch.xml profile projects public robots.txt s search sent_notifications
  slash-command-logo.png snippets u unsubscribes uploads users`.split(/\s+/),
)

/** Parts that follow a project's path in URLs. */
const reservedBelow = new Set(
  '- badges blame blob builds commits create create_dir edit files find_file new preview raw refs tree update wikis'.split(' '),
)

/**
 * Suffixes of special URLs: `/ada.keys` has the keys of ada, `/a/b.wiki.git` is the wiki of a project. No path may end with one, since its
 * owner would answer for someone else. Pages have no other suffixes (`parsePattern`).
 */
export const fileEndings = ['atom', 'diff', 'git', 'gpg', 'ics', 'keys', 'patch', 'png', 'svg', 'wiki'] as const

const fileEnding = new RegExp(`\\.(?:${fileEndings.join('|')})$`, 'i')

const longest = 255

/** Limit of the full path: a PostgreSQL index entry must hold it even if an ancestor gets a longer name. */
const longestWhole = 2_000

/** The error for the length of a full path, in the words of `pathError`. */
export function fullPathError(length: number): string | null {
  return length > longestWhole ? `is too long (maximum is ${longestWhole} characters with all that is above)` : null
}

const projectFormat = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
const namespaceFormat = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."

/** The error in the last part of a path, as a sentence without its subject; null if there is none. */
export function pathError(path: string, kind: 'namespace' | 'project', parent: string | null): string | null {
  if (path === '') return "can't be blank"
  if (path.length > longest) return `is too long (maximum is ${longest} characters)`
  if (!/^[a-zA-Z0-9_.][a-zA-Z0-9_.-]*$/.test(path) || /\.(git|atom)$/i.test(path) || path === '.' || path.includes('..')) {
    return kind === 'project' ? projectFormat : namespaceFormat
  }
  if (kind === 'namespace' && path.endsWith('.')) return namespaceFormat
  const [ending] = fileEnding.exec(path) ?? []
  if (ending !== undefined) return `cannot end in '${ending}', which is reserved for addresses of files`
  const reserved = parent === null ? reservedAtTop : reservedBelow
  if (reserved.has(path.toLowerCase())) return `${path} is a reserved name`
  return parent === null ? null : fullPathError(parent.length + 1 + path.length)
}

/** Letters that aren't a plain letter with a mark, with their usual replacement. */
const plainLetters = new Map(
  'ß:ss æ:ae œ:oe ø:o ð:d đ:d þ:th ł:l ħ:h ŧ:t ŋ:ng ı:i ĸ:k'.split(' ').map((pair) => pair.split(':') as [string, string]),
)

/** Derives a path from a name: `Böse Katze 2.0!` becomes `bose-katze-2-0`. Only the beginning of a too long name is used. */
export function pathFromName(name: string): string {
  return name
    .slice(0, longest + 1)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\0-\x7f]/g, (letter) => plainLetters.get(letter) ?? '-')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '')
}

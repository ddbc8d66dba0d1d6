/** Which paths a user, group or project may have: what would read as another address of the service is taken by it. */

/** First words of the service's own addresses. */
const reservedAtTop = new Set(
  `- .well-known 404.html 422.html 500.html 502.html 503.html abuse_reports admin api apple-touch-icon-precomposed.png
  apple-touch-icon.png assets autocomplete ci dashboard deploy.html explore favicon.ico favicon.png files groups health_check
  help import invites jwt login new notification_settings oauth opensearch.xml profile projects public robots.txt s search sent_notifications
  slash-command-logo.png snippets u unsubscribes uploads users`.split(/\s+/),
)

/** Words that follow a project's path in addresses. */
const reservedBelow = new Set(
  '- badges blame blob builds commits create create_dir edit files find_file new preview raw refs tree update wikis'.split(' '),
)

/**
 * What addresses of files end in: `/ada.keys` has the keys of ada, `/a/b.wiki.git` is the wiki of a project. No path ends so, or
 * whoever has it would answer for somebody else. Pages have no other endings (`parsePattern`).
 */
export const fileEndings = ['atom', 'diff', 'git', 'gpg', 'ics', 'keys', 'patch', 'png', 'svg', 'wiki'] as const

const fileEnding = new RegExp(`\\.(?:${fileEndings.join('|')})$`, 'i')

const longest = 255

/** With all that is above: an index of PostgreSQL holds as much, and the longer name that something above may still be given. */
const longestWhole = 2_000

/** The error for the length of a whole path, worded as by `pathError`. */
export function fullPathError(length: number): string | null {
  return length > longestWhole ? `is too long (maximum is ${longestWhole} characters with all that is above)` : null
}

const projectFormat = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
const namespaceFormat = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."

/** What is wrong with the last part of a path, as a sentence without its subject; null if nothing is. */
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

/** Letters that are no plain ones with a mark, as one writes them without. */
const plainLetters = new Map(
  'ß:ss æ:ae œ:oe ø:o ð:d đ:d þ:th ł:l ħ:h ŧ:t ŋ:ng ı:i ĸ:k'.split(' ').map((pair) => pair.split(':') as [string, string]),
)

/** A path made of a name: `Böse Katze 2.0!` becomes `bose-katze-2-0`. Of a name too long to be one no more is read than could be. */
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

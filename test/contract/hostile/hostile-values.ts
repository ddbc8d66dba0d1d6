/** Malicious values in place of a ref, a revision, a path, a name or a message. */

/** A value, and its name in a list of errors: some are a megabyte long. */
export type Hostile = readonly [name: string, value: unknown]

export interface HostileOptions {
  /** The common prefix of the ids of two objects. */
  shortened: string
  /** A file that must never be created. */
  target: string
  /** How many characters fit. */
  longest: number
}

/** Values of a group take the same path through the server, so that some of each group suffice where all would be too expensive. */
export type HostileGroups = Hostile[][]

/** Unknown refs, ambiguous refs, options, and everything else that git reads as a revision. */
export function hostileRefs({ shortened, target, longest }: HostileOptions): HostileGroups {
  const unknown = `unknown ${'0'.repeat(40)} ${'f'.repeat(40)} ${'a'.repeat(64)} 0 ${shortened} twice main/x a.lock @`
  const options = `-n --all --output=${target} - -- --stdin --end-of-options -c/core.fsmonitor=x`
  const ranges = 'main..main main...main ^main main^!'
  const trees = 'main:README.md main^{tree} :README.md'
  const revisions = '@{-1} main@{1} :/First main~99999 HEAD^ v1^0'
  const places = 'refs/heads/x refs/heads/main refs/tags/v1 refs/unborn/x heads/main HEAD FETCH_HEAD config packed-refs main-0-gabcd'
  const groups = [unknown, options, ranges, trees, revisions, places].map((names) => names.split(' '))
  return [...[...groups, ['--upload-pack=touch x', 'a//b', '/main', 'main/', '.hidden', 'end.']].map(named), ...anywhere(longest)]
}

/** Paths that traverse upwards, that lead elsewhere, that are `.git` on some file system, and patterns. */
export function hostilePaths({ target, longest }: HostileOptions): HostileGroups {
  const climbing = [
    '..',
    '../x',
    'a/../b',
    '../../../../etc/passwd',
    '/etc/passwd',
    target,
    '\\..\\x',
    'a\\..\\b',
    'C:\\x',
    '\\\\host\\x',
    '//x',
  ]
  const dotGit = [
    '.git',
    '.git/config',
    '.GIT/hooks/pre-receive',
    'a/.Git/x',
    '.git. . ./x',
    '.git::$INDEX_ALLOCATION/x',
    'git~1',
    'GIT~2/c',
  ]
  const hidden = [
    '.g\u200cit/x',
    '.gi\ufefft',
    '.git\u200f/config',
    'a\\.git\\x',
    '.gitmodules',
    '.GITMODULES',
    'gitmod~1',
    '.gitattributes',
  ]
  const patterns = [':(glob)**', ':!x', ':/', '*', '?', '[a-z]', '**/x', '--all', 'README.md/x', 'src', 'YWJj=', 'not base64!']
  return [...[climbing, dotGit, hidden, patterns].map(named), ...anywhere(longest)]
}

/** Values that are hostile anywhere: control characters, unpaired surrogates, commands, great length, other types. */
function anywhere(longest: number): HostileGroups {
  const control = ['a\nb', 'a\rb', 'a\r\nX-Injected: 1', 'a\tb', 'a\x1b[31mb', 'a\x7fb', 'a\0b', '\n', ' ', '']
  const characters = ['\ud800', 'a\udfffb', '\ufffd', '\u202ea', '😀', 'e\u0301']
  const commands = ['$(touch x)', '`touch x`', '; touch x', '| touch x', "'", '"', '%s%n', '$x', '<x>', 'A <a@b>\nparent 0']
  const long: Hostile[] = [
    ['a long name', 'n'.repeat(1_000)],
    ['a name as long as a ref may be', 'é'.repeat(1_024)],
    ['a name of many parts', `${'a/'.repeat(100)}a`],
    ['a path of many parts', `${'a/'.repeat(2_000)}a`],
  ]
  const asLongAsFits: Hostile[] = [
    ['all that fits', 'm'.repeat(longest)],
    ['slashes, as many as fit', `a${'/'.repeat(longest)}b`],
    ['carets, as many as fit', `main${'^'.repeat(longest)}x`],
  ]
  const otherTypes: Hostile[] = [
    ['an array', ['main', '-n']],
    ['an object', { main: 'main' }],
    ['nested arrays', [[['main']]]],
    ['a number', 1e308],
    ['null', null],
    ['true', true],
  ]
  return [named(control), named(characters), named(commands), long, asLongAsFits, otherTypes]
}

function named(texts: string[]): Hostile[] {
  return texts.map((text) => [JSON.stringify(text), text])
}

/** Values that may be hostile in free text: what could break out of its line, its header or its encoding. */
export const hostileProse: Hostile[] = [
  ['lines of a commit', 'A <a@b> 0 +0000\nparent 0\n\n\r\nX-Injected: 1'],
  ['control characters', '-n\x1b[31m\t\x7f\x01'],
  ['a NUL', 'a\0b'],
  ['half a character', '\ud800'],
  ['a command', '$(touch x); `touch x` | --all'],
  ['nothing', ''],
  ['much', 'm'.repeat(1024 * 1024 - 2_000)],
  ['an object', { main: 'main' }],
  ['an array', ['main']],
]

/** Bytes that aren't valid UTF-8. */
export const brokenBytes = ['ff', '61c3', 'eda080', 'c0aec0ae2f'].map((digits) => Buffer.from(digits, 'hex'))

/** The documentation is consistent: internal links and anchors lead somewhere, and settings and log messages it names exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeSettings } from '../../src/config.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const filesIn = (folder: string, ending: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path))
const pages = [...readdirSync(root).filter((path) => path.endsWith('.md')), ...filesIn('docs', '.md')]

const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, '')

/** The anchors of a page, made as GitHub makes them: each heading in lower case, without punctuation, with dashes for spaces. */
function anchorsOf(page: string): Set<string> {
  const headings = [...withoutCode(read(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

function brokenLinks(page: string, text = read(page)): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsOf(target).has(anchor)
  })
}

test.each(pages)('every link inside the repository leads somewhere: %s', (page) => {
  expect(brokenLinks(page)).toEqual([])
})

test('a missing file and a missing anchor are found', () => {
  const text = '[good](install.md#behind-a-proxy) [file](nowhere.md) [anchor](install.md#nowhere) [own](#nowhere)'
  expect(brokenLinks('docs/ssh.md', text)).toEqual(['nowhere.md', 'install.md#nowhere', '#nowhere'])
})

/** The files that a page names in code, by the end of their path at least. */
function deadPaths(page: string, text = read(page)): string[] {
  const named = [...text.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)+\.(?:ts|mjs|css|json|txt))`/g)].map(([, path = '']) => path)
  return named.filter((path) => !sourceFiles.some((file) => file === path || file.endsWith(`/${path}`)))
}

const sourceFiles = ['src', 'test', 'bench', 'tools', 'docs', 'deploy'].flatMap((folder) => filesIn(folder, ''))

test('every file that a page names is there', () => {
  // The changelog may name files by the names that they had then.
  expect(pages.filter((page) => page !== 'CHANGELOG.md').flatMap((page) => deadPaths(page).map((path) => `${page}: ${path}`))).toEqual([])
  expect(deadPaths('docs/ssh.md', '`http/serve/mount.ts`, `src/app.ts` and `http/nowhere.ts`')).toEqual(['http/nowhere.ts'])
})

test('every function that a page for developers names in code is there', () => {
  const source = sourceFiles.filter((path) => /(?<!\.test)\.(ts|mjs)$/.test(path)).map(read)
  const words = new Set(source.flatMap((text) => text.match(/\b[a-z]+[A-Z]\w*/g) ?? []))
  const named = pages
    .filter((page) => /^(ARCHITECTURE|CONTRIBUTING|docs\/design\/)/.test(page))
    .flatMap((page) => [...read(page).matchAll(/`([a-z]+[A-Z]\w*)(?:\([^`]*)?`/g)].map(([, name = '']) => [page, name] as const))
  expect(named.length).toBeGreaterThan(200)
  const gone = named.filter(([, name]) => !words.has(name))
  expect(gone, 'the page names a function that is gone or was renamed').toEqual([])
})

test('every decision that a page or a comment names is there', () => {
  const kept = new Set(filesIn('docs/decisions', '.md').map((path) => Number(/(\d+)-[^/]*$/.exec(path)?.[1])))
  const sources = [...pages, ...['src', 'test', 'tools', 'bench'].flatMap((folder) => filesIn(folder, 's'))]
  const named = sources
    .filter((path) => /\.(md|ts|mjs)$/.test(path) && !path.endsWith('docs.test.ts'))
    .flatMap((path) => [...read(path).matchAll(/\bdecisions? (\d+)\b/gi)].map(([, number]) => ({ path, number: Number(number) })))
  expect(named.filter(({ number }) => !kept.has(number))).toEqual([])
})

test('the configuration page and gitstead.env.example have every setting, and no other', () => {
  const settings = new Set(describeSettings().match(/GITSTEAD_[A-Z0-9_]+/g))
  const documented = [...read('docs/configuration.md').matchAll(/^\| (`GITSTEAD_[^|]*) \|/gm)].flatMap(
    ([, names = '']) => names.match(/\w+/g) ?? [],
  )
  expect(documented.sort()).toEqual([...settings].sort())
  const exampled = [...read('gitstead.env.example').matchAll(/^#(GITSTEAD_\w+)=/gm)].map(([, name]) => name)
  expect([...exampled, 'GITSTEAD_HOME'].sort()).toEqual([...settings].sort())
})

test('every log message that administrators are told to look for is logged', () => {
  const sources = filesIn('src', '.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .map(read)
    .join('\n')
  const [, alerts = ''] = /^Set an alert for these messages:\n\n((?:- .*\n)+)/m.exec(read('docs/administration.md')) ?? []
  const messages = [...alerts.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message)
  expect(messages).not.toEqual([])
  expect(messages.filter((message) => !sources.includes(message))).toEqual([])
})

test('the page about the queue names every job, and no other', () => {
  const sources = filesIn('src', '.ts').filter((path) => !path.endsWith('.test.ts'))
  const declared = sources.flatMap((path) => [...read(path).matchAll(/\bjob(?:<[^(]*>)?\(\s*'(\w+\.\w+)'/g)].map(([, name = '']) => name))
  const rows = [...read('docs/design/queue.md').matchAll(/^\| (`[^|]*) \|/gm)].map(([, names = '']) => names)
  const documented = rows.flatMap((names) => [...names.matchAll(/`(\w+\.\w+)`/g)].map(([, name = '']) => name))
  expect(documented.sort(), 'add or remove its row').toEqual([...new Set(declared)].sort())
})

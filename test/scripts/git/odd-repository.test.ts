/** A repository with everything that a push may bring and no one expects: every reader of it answers sanely. */
import { execFileSync } from 'node:child_process'
import { beforeAll, expect, test } from 'vitest'
import { served } from '../../contract/world/fixtures.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import { cpuTime_ms } from '../../support/run/cpu.ts'
import { inFullRun } from '../../support/run/tiers.ts'

const manyFiles = 40_000
const atOnce = 4
/** Limit of processor time, for all simultaneous requests: a busy machine doesn't change it. */
const patience_ms = 10_000
/** `é` as Latin-1 has it, and half a character of UTF-8: neither is UTF-8. */
const oddName = Buffer.from('caf\xe9 \xc3.txt', 'latin1')
/** As it is shown, and asked for. */
const shownName = oddName.toString('utf8')

let forge: Forge
let owner: TestUser
let project: TestProject
/** The id of the commit that no program of today would write. */
let weird: string

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
  project = await forge.project({ owner, files: { 'README.md': 'Hello\n' } })
  const { dir } = project
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: dir, input: stream() })
  await git(dir, 'update-ref', 'refs/heads/many', await manyCommit(dir))
  weird = await weirdCommit(dir)
  await git(dir, 'update-ref', 'refs/heads/weird', weird)
  await git(dir, 'update-ref', 'refs/heads/refs/heads/x', 'odd')
  await git(dir, 'tag', 'blob', 'odd:text')
})

/** Two branches: of odd entries, and of a change of 50 MB of text. */
function stream(): Buffer {
  const parts: Array<Buffer | string> = []
  const by = 'A \xe9 <a\xff@example.com> 1700000000 +0000'
  const begin = (branch: string, message: Buffer, from = '') => {
    parts.push(
      `commit refs/heads/${branch}\n`,
      Buffer.from(`author ${by}\ncommitter ${by}\n`, 'latin1'),
      `data ${message.length}\n`,
      message,
    )
    parts.push(`\n${from && `from ${from}\n`}`)
  }
  const file = (mode: string, path: Buffer, content: Buffer) => {
    parts.push(`M ${mode} inline `, path, `\ndata ${content.length}\n`, content, '\n')
  }
  begin('odd', Buffer.from('Caf\xe9\xff\n\nMore \xc3', 'latin1'))
  file('100644', Buffer.from('text'), Buffer.from('\xe9\xff\x80 no UTF-8\n', 'latin1'))
  file('100644', oddName, Buffer.from('by an odd name\n'))
  file('120000', Buffer.from('link'), Buffer.from('../../../../etc/passwd'))
  file('120000', Buffer.from('folder'), Buffer.from('/'))
  parts.push(`M 160000 ${'c'.repeat(40)} module\n`)
  file('100644', Buffer.from('-n'), Buffer.from('an option\n'))
  file('100644', Buffer.from(':(glob)**'), Buffer.from('a pattern\n'))
  file('100644', Buffer.from('"tab\\there\\n and a new line"'), Buffer.from('control\n'))
  begin('huge', Buffer.from('Huge'))
  file('100644', Buffer.from('huge.txt'), Buffer.from(`${'0123456789 abcdefghijklmnopqrstuvwxyz\n'.repeat(1_400_000)}`))
  file('100644', Buffer.from('small.txt'), Buffer.from('small\n'))
  return Buffer.concat([...parts, 'done\n'].map((part) => Buffer.from(part)))
}

/** A folder of so many files beside the readme. */
async function manyCommit(dir: string): Promise<string> {
  const blob = await git(dir, 'rev-parse', 'main:README.md')
  const make = (input: string) => execFileSync('git', ['mktree'], { cwd: dir, input, encoding: 'utf8' }).trim()
  const many = make(Array.from({ length: manyFiles }, (_, number) => `100644 blob ${blob}\t${number}\n`).join(''))
  const tree = make(`100644 blob ${blob}\tREADME.md\n040000 tree ${many}\tmany\n`)
  return git(dir, 'commit-tree', '-m', 'Many', '-p', 'main', tree)
}

/** Such as only the oldest programs wrote, or the oddest. */
async function weirdCommit(dir: string): Promise<string> {
  const lines = [
    `tree ${await git(dir, 'rev-parse', 'odd^{tree}')}`,
    `parent ${await git(dir, 'rev-parse', 'main')}`,
    `parent ${await git(dir, 'rev-parse', 'odd')}`,
    'author <> 99999999999999999999 +9999',
    'committer no brackets at all',
    'encoding no-such-encoding',
    'gpgsig -----BEGIN PGP SIGNATURE-----',
    ' ',
    '',
    '',
  ]
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally']
  return execFileSync('git', args, { cwd: dir, input: lines.join('\n'), encoding: 'utf8' }).trim()
}

test('every reader answers, whichever of them it is asked about', {
  ...inFullRun('10 s of processor. src/git reads each kind of odd object alone.'),
  timeout: 120_000,
}, async () => {
  const refs = ['odd', 'many', 'huge', 'weird', 'refs/heads/x', 'refs/heads/refs/heads/x', 'blob', weird, 'weird^2']
  const paths = [
    '',
    'text',
    shownName,
    'link',
    'link/x',
    'folder',
    'folder/etc/passwd',
    'module',
    'module/x',
    '-n',
    ':(glob)**',
    'many',
    'huge.txt',
    'tab\there\n and a new line',
  ]
  const addresses = new Set<string>()
  for (const { endpoint, path } of served.filter(({ endpoint, path }) => endpoint.method === 'GET' && path.includes('/repository/'))) {
    for (const ref of refs) {
      for (const file of /file_path/.test(path) || 'path' in endpoint.query ? paths : ['']) {
        const values: Record<string, string> = { id: String(project.id), file_path: file || 'README.md', format: 'tar' }
        const address = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ref))
        const ends = `from=main&to=${encodeURIComponent(ref)}&refs[]=main&refs[]=${encodeURIComponent(ref)}`
        const named = ['ref', 'sha', 'ref_name'].map((name) => `${name}=${encodeURIComponent(ref)}`).join('&')
        addresses.add(`${address}?${named}&path=${encodeURIComponent(file)}&${ends}&recursive=${file === ''}&with_stats=true&per_page=100`)
      }
    }
  }
  const wrong: unknown[] = []
  const ask = async (address: string) => {
    const { status, text } = await forge.as(owner).get(address)
    if (status >= 500 || text.includes(forge.app.config.home)) wrong.push([address, status, text.slice(0, 200)])
  }
  const all = [...addresses]
  for (let at = 0; at < all.length; at += atOnce) {
    const before_ms = cpuTime_ms()
    const asked = all.slice(at, at + atOnce)
    await Promise.all(asked.map(ask))
    const cpu_ms = cpuTime_ms() - before_ms
    if (cpu_ms > patience_ms) wrong.push([...asked, `took ${Math.round(cpu_ms)} ms of the processor`])
  }
  expect(addresses.size).toBeGreaterThan(300)
  expect(wrong).toEqual([])
})

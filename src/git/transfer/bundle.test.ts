import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { bareRepository } from '../../../test/support/fixtures/bare.ts'
import { git, seed } from '../../../test/support/git.ts'
import type { Repo } from '../repository/repository.ts'
import { parseHeader, readBundle, writeBundle } from './bundle.ts'
import { beginWith } from './staged-import.ts'

async function bundleOf(repo: Repo): Promise<Buffer> {
  const chunks: Buffer[] = []
  expect(await writeBundle(repo, async (chunk) => void chunks.push(chunk))).toBe(true)
  return Buffer.concat(chunks)
}

const from = (bundle: Buffer) => (start: number) => Readable.from([bundle.subarray(start)])

test('branches and tags of every kind come out of a bundle as they went in', async () => {
  const source = await bareRepository()
  await seed(source.dir, [{ files: { a: 'a' } }, { branch: 'topic/über', files: { b: 'b' } }])
  await git(source.dir, 'tag', '-m', 'Nested', 'v1', 'main')
  await git(source.dir, 'tag', '-m', 'Twice', 'v2', 'v1')
  await git(source.dir, 'tag', 'tree', 'main^{tree}')
  await git(source.dir, 'tag', 'blob', 'main:a')
  const target = await bareRepository()
  const bundle = await bundleOf(source)

  await beginWith(target, await readBundle(target, from(bundle)), [])
  await beginWith(target, await readBundle(target, from(bundle)), [])

  expect(await git(target.dir, 'for-each-ref')).toBe(await git(source.dir, 'for-each-ref'))
  expect(await git(target.dir, 'fsck', '--strict')).toBe('')
})

test('git itself can clone from it', async () => {
  const source = await bareRepository()
  await seed(source.dir, [{ files: { a: 'a' } }])
  const folder = await mkdtemp(join(source.dir, 'clone-'))
  await writeFile(join(folder, 'x.bundle'), await bundleOf(source))

  await git(folder, 'clone', '--quiet', 'x.bundle', 'clone')

  expect(await readFile(join(folder, 'clone', 'a'), 'utf8')).toBe('a')
})

test('an empty repository has no bundle', async () => {
  expect(await writeBundle(await bareRepository(), async () => {})).toBe(false)
})

test('refs other than branches and tags stay out', async () => {
  const source = await bareRepository()
  await seed(source.dir, [{ files: { a: 'a' } }])
  const oid = await git(source.dir, 'rev-parse', 'main')
  const bundle = await bundleOf(source)
  const end = bundle.indexOf('\n\n')
  const odd = Buffer.concat([bundle.subarray(0, end), Buffer.from(`\n${oid} refs/keep-around/x\n${oid} refs/../x`), bundle.subarray(end)])

  const refs = await readBundle(await bareRepository(), from(odd))

  expect([...refs.keys()]).toEqual(['refs/heads/main'])
})

const oid = '1'.repeat(40)

test.each([
  ['of another format', '# v3 git bundle\n@object-format=sha256'],
  ['that lacks what it builds on', `# v2 git bundle\n-${oid} x\n${oid} refs/heads/main`],
  ['of a ref without an object', '# v2 git bundle\nrefs/heads/main'],
  ['of a branch under a path', `# v2 git bundle\n${oid} refs/heads/../../x`],
  ['of a branch like an object', `# v2 git bundle\n${oid} refs/heads/${oid}`],
  ['of a tag with a line of options', `# v2 git bundle\n${oid} refs/tags/-x y`],
])('a bundle %s is refused', (_, header) => {
  expect(() => parseHeader(header)).toThrow(/^The repository /)
})

test('refs that lead to nothing, or that are no branch, are refused, and none is made', async () => {
  const source = await bareRepository()
  await seed(source.dir, [{ files: { a: 'a' } }])
  const bundle = await bundleOf(source)
  const tree = await git(source.dir, 'rev-parse', 'main^{tree}')
  const end = bundle.indexOf('\n\n')
  const withRef = (line: string) => Buffer.concat([bundle.subarray(0, end), Buffer.from(`\n${line}`), bundle.subarray(end)])
  const target = await bareRepository()

  await expect(readBundle(target, from(withRef(`${oid} refs/heads/x`)))).rejects.toThrow('The repository lacks what refs/heads/x leads to.')
  await expect(readBundle(target, from(withRef(`${tree} refs/heads/x`)))).rejects.toThrow('The repository has no commit at refs/heads/x.')
  await expect(readBundle(target, from(withRef(`${await git(source.dir, 'rev-parse', 'main')} refs/heads/main/x`)))).rejects.toThrow(
    'The repository has refs that cannot stand beside each other.',
  )
  await expect(readBundle(target, from(bundle.subarray(0, bundle.length - 30)))).rejects.toThrow(
    /^The repository holds objects that git refuses/,
  )
  await expect(readBundle(target, from(Buffer.from('nothing like it')))).rejects.toThrow('The repository is not a bundle of git.')
  expect(await git(target.dir, 'for-each-ref')).toBe('')
})

/** The documentation of a real repository, this one, as a wiki: read by the API, and searched as git itself does. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { numbers } from '../../support/fixtures/numbers.ts'
import { testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { workTree } from './wire.ts'

/** More hits than these are not told. */
const maxHits = 100

test(
  'a folder of documentation that is pushed as a wiki is read whole, and searched for random words as by git grep',
  inFullRun('2 s of processor. `wikis.test.ts` pushes and lists pages, `code-search` compares with git grep.'),
  async () => {
    const folder = join(import.meta.dirname, '../../../docs')
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
    const forge = await testForge()
    const developer = await forge.user()
    const project = await forge.project({ developer })
    const dir = await workTree(files)
    await git(dir, 'push', '--quiet', await forge.remote(`${project.full_path}.wiki`, developer), 'main')
    const as = forge.as(developer)
    const contents: Record<string, string> = {}
    for (let page = 1; Object.keys(contents).length < names.length && page <= names.length; page += 1) {
      const { body } = await as.get(`/projects/${project.id}/wikis?with_content=1&per_page=100&page=${page}`)
      for (const { slug, content } of body) contents[`${slug}.md`] = content
    }
    expect(contents).toEqual(files)

    const words = [
      ...new Set(
        Object.values(files)
          .join(' ')
          .match(/\w{4,}/g) ?? [],
      ),
    ]
    const next = numbers(16)
    for (let round = 0; round < 60; round += 1) {
      const word = words[next(words.length)] as string
      const { stdout } = await tryGit(dir, 'grep', '-i', '-I', '-l', '-F', '-e', word, 'main')
      const expected = stdout.split('\n').flatMap((line) => line.split('main:')[1] ?? [])
      const { status, headers, body } = await as.get(`/projects/${project.id}/search?scope=wiki_blobs&search=${word}&per_page=${maxHits}`)
      expect([word, status]).toEqual([word, 200])
      const found = new Set(body.filter(({ id }: { id: unknown }) => id === null).map(({ path }: { path: string }) => path))
      const isWhole = headers['x-search-incomplete'] === undefined && Number(headers['x-total']) <= maxHits
      if (isWhole) expect([word, [...found].sort()]).toEqual([word, expected.sort()])
      else expect([word, [...found].filter((path) => !expected.includes(path as string))]).toEqual([word, []])
    }
  },
)

/** Graphs in a browser: the numbers of the API over time, and what is said while they are counted. */
import { expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git, gitReading } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { periodsOf, sumsOf } from './periods.ts'
import { graphSentences } from './sentences.ts'

async function seeded(): Promise<{
  forge: Forge
  project: TestProject
  at: (rest: string) => ReturnType<ReturnType<typeof browserOf>['get']>
}> {
  const forge = await testForge()
  const time = Date.UTC(2024, 0, 31, 22) / 1000
  const project = await forge.project({
    visibility: 'public',
    commits: [
      { files: { 'a.c': 'int a;\nint b;\n' }, time },
      { files: { 'a.c': 'int a;\n', 'b.ts': 'let b\n' }, time: time + 40 * 86_400 },
    ],
  })
  await git(project.dir, 'branch', 'feature/one', 'main~1')
  const me = browserOf(forge.server)
  return { forge, project, at: (rest) => me.get(`/${project.full_path}/${rest}`) }
}

test('contributors of the default branch have the numbers of the API, by month without gaps', async () => {
  const { forge, project, at } = await seeded()
  const { text, status } = await at('graphs/main')
  const [one] = (await forge.anonymous.get(`/projects/${project.id}/repository/contributors`)).body
  expect([status, readDocument(text).faults, one]).toMatchObject([200, [], { commits: 2, additions: 3, deletions: 1 }])
  expect(text).toContain('<td>2</td><td class="lines-added">+3</td><td class="lines-removed">−1</td>')
  expect(text).toMatch(/<th scope="row">2024-01<\/th><td>1<\/td><td>2<\/td><td>0<\/td>/)
  expect(text).toMatch(/<th scope="row">2024-02<\/th><td>0<\/td><td>0<\/td><td>0<\/td>/)
  expect(text).toMatch(/<th scope="row">2024-03<\/th><td>1<\/td><td>1<\/td><td>1<\/td>/)
})

test('another branch has its own contributors, counted from those of the default branch', async () => {
  const { at } = await seeded()
  await at('graphs/main')
  for (const address of ['graphs/feature/one', 'graphs/feature%2Fone']) {
    const { text } = await at(address)
    expect(text).toContain('<td>1</td><td class="lines-added">+2</td><td class="lines-removed">−0</td>')
  }
  expect((await at('graphs/nothing')).status).toBe(404)
})

test('charts show languages, days, weekdays and hours; the older addresses lead there', async () => {
  const { project, at } = await seeded()
  const { text, status } = await at('graphs/feature/one/charts')
  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(text).toMatch(/C <span class="hint">\d+(\.\d+)? %/)
  expect(text).toContain('1 commit by 1 author, from 2024-01-31 to 2024-01-31.')
  expect(text).toContain('<th scope="row">31</th><td>1</td>')
  expect(text).toContain('<th scope="row">Wednesday</th><td>1</td>')
  for (const old of ['languages', 'commits']) {
    expect((await at(`graphs/feature%2Fone/${old}`)).location).toBe(`/${project.full_path}/graphs/feature/one/charts`)
  }
  expect((await at('graphs')).location).toBe(`/${project.full_path}/graphs/main`)
  expect((await at('graphs?ref=feature/one')).location).toBe(`/${project.full_path}/graphs/feature/one`)
})

test(
  'while a long history is counted the page says how far that is, and reloads itself',
  inFullRun('1 s of processor. `stats.test.ts`: a request that is far behind waits for the queue.'),
  async () => {
    const { forge, project, at } = await seeded()
    const lines: string[] = []
    for (let index = 0; index < 600; index += 1) {
      lines.push(
        `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + index} +0000\ndata 1\nx\n${index === 0 ? 'from refs/heads/main^0\n' : ''}`,
      )
    }
    await gitReading(project.dir, lines.join('\n'), 'fast-import', '--quiet')
    forge.app.limits.pagePatience_ms.graphs = 100
    const { text, status } = await at('graphs/main')
    expect([status, readDocument(text).faults]).toEqual([200, []])
    expect(text).toContain(graphSentences.counting)
    expect(text).toContain('<meta http-equiv="refresh" content="5">')
    await forge.drain()
    const counted = await at('graphs/main')
    expect([counted.text.includes('http-equiv'), counted.text.includes('<td>600</td>')]).toEqual([false, true])
  },
)

test('an empty repository has nothing to count', async () => {
  const forge = await testForge()
  const empty = await forge.project({ files: null, visibility: 'public' })
  const { status, text } = await browserOf(forge.server).get(`/${empty.full_path}/graphs/main`)
  expect([status, text.includes(graphSentences.empty)]).toEqual([200, true])
})

test('long histories are shown by year, and nothing is lost in the sums', () => {
  const of = (months: Record<string, [number, number, number]>) => ({
    name: 'A',
    email: 'a',
    commits: 0,
    additions: 0,
    deletions: 0,
    months,
    newest: null,
  })
  const long = [of({ '1990-05': [1, 2, 3], '2024-12': [4, 5, 6] }), of({ '1990-12': [1, 1, 1] })]
  const periods = periodsOf(long)
  expect([periods.unit, periods.names.length, periods.names[0], periods.names.at(-1)]).toEqual(['year', 35, '1990', '2024'])
  expect([sumsOf(periods, long)[0], sumsOf(periods, long).at(-1)]).toEqual([
    [2, 3, 4],
    [4, 5, 6],
  ])
  expect(periodsOf([of({ '2023-11': [1, 0, 0], '2024-02': [1, 0, 0] })]).names).toEqual(['2023-11', '2023-12', '2024-01', '2024-02'])
  expect(periodsOf([])).toEqual({ unit: 'month', names: [] })
})

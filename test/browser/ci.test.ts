/** Pipelines and jobs in a browser: the list, the graph, a log that grows; by keyboard, on phones, light and dark. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/database.ts'
import { endJob } from '../../src/features/ci/processing/processing.ts'
import { pipelineOf, print } from '../support/fixtures/pipelines.ts'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge, type Width } from './support.ts'

let forge: Forge
let user: TestUser
let project: TestProject
let sha: string
let shown: Awaited<ReturnType<typeof pipelineOf>>

const config = `stages: [build, test, deploy]
compile:
  stage: build
  script: [make]
`

const drawn = [
  { name: 'compile', stage: 'build', status: 'success' },
  { name: 'assets', stage: 'build', status: 'success' },
  { name: 'unit', stage: 'test', status: 'failed', needs: ['compile'], failure_reason: 'script_failure' },
  { name: 'browser: [chromium, a very long name of a job]', stage: 'test', status: 'running', needs: ['compile', 'assets'] },
  { name: 'lint', stage: 'test', status: 'failed', allow_failure: true, needs: [] },
  { name: 'staging', stage: 'deploy', status: 'created', needs: ['browser: [chromium, a very long name of a job]'] },
  { name: 'production', stage: 'deploy', status: 'manual' },
] as const

const text = [
  'Running with a runner 16.0.3',
  'section_start:1700000000:prepare_script\r\x1b[0K\x1b[36;1mPreparing environment\x1b[0;m',
  'Running on \x1b[1mharbour\x1b[0m',
  'section_end:1700000004:prepare_script\r\x1b[0Ksection_start:1700000004:step_script[collapsed=true]\r\x1b[0K\x1b[36;1mExecuting the step\x1b[0;m',
  '\x1b[32;1m$ make test\x1b[0;m',
  '<script>alert(1)</script> & \x1b[31mfailed\x1b[0m 10%\r 20%\r done',
  'section_end:1700000061:step_script\r\x1b[0K\x1b[31;1mERROR: Job failed: exit code 1\x1b[0;m',
  '',
].join('\n')

beforeAll(async () => {
  forge = await servedForge()
  user = await forge.user({ password: 'correct horse battery', name: 'Ines Duarte' })
  project = await forge.project({
    owner: user,
    visibility: 'public',
    commits: [{ message: 'Compute tides in metres', files: { '.gitlab-ci.yml': config } }],
  })
  sha = await git(project.dir, 'rev-parse', 'main')
  shown = await pipelineOf(forge, project, user, {
    status: 'running',
    sha,
    jobs: drawn,
  })
  await pipelineOf(forge, project, user, { status: 'success', sha, jobs: [{ name: 'all', stage: 'test', status: 'success' }] })
  const me = forge.as(user)
  await me.post(`/projects/${project.id}/variables`, {
    key: 'DEPLOY_KEY',
    value: 'correct-horse',
    masked: true,
    environment_scope: 'review/*',
  })
  await me.post(`/projects/${project.id}/triggers`, { description: 'Nightly' })
  await me.post(`/projects/${project.id}/pipeline_schedules`, { description: 'Weekly', ref: 'main', cron: '0 4 * * 1' })
  await me.post(`/projects/${project.id}/environments`, { name: 'production', external_url: 'https://tides.example' })
  await print(forge, shown.jobs.get('unit')?.id as number, text)
})

const jobAddress = (name: string) => `/${project.full_path}/-/jobs/${shown.jobs.get(name)?.id}`

test(
  'a log grows while somebody looks at it, and says how the job ended',
  browsing(async (open) => {
    const own = await pipelineOf(forge, project, user, {
      status: 'running',
      sha,
      jobs: [{ name: 'slow', stage: 'test', status: 'running' }],
    })
    const id = own.jobs.get('slow')?.id as number
    const page = await open({ user })
    await page.goto(`/${project.full_path}/-/jobs/${id}`)
    await page.getByText('printed nothing yet').waitFor()
    await print(forge, id, 'section_start:1:one\r\x1b[0KFirst part\nline two\n')
    await page.getByText('line two').waitFor()
    await print(forge, id, 'line three\nsection_end:9:one\r\x1b[0Kline four\n')
    await page.getByText('line four').waitFor()
    await expect.poll(() => page.locator('.log details > div').count()).toBe(2)
    await expect.poll(() => page.locator('.log > div').getAttribute('id')).toBe('L4')
    await inTransaction(forge.app.db, (tx) => endJob(tx, id, { status: 'failed', failure_reason: 'script_failure', exit_code: 3 }))
    await page.getByText('Exit code 3').waitFor()
    await expect.poll(() => page.locator('.log details > div').count()).toBe(2)
  }),
)

test(
  'a long log is followed with its last lines alone, rests for whoever reads above them, and shows a linked line before them',
  inFullRun('3 s of processor. `running.pages.test.ts` reads the parts that are put together here.'),
  browsing(async (open) => {
    const own = await pipelineOf(forge, project, user, {
      status: 'running',
      sha,
      jobs: [{ name: 'long', stage: 'test', status: 'running' }],
    })
    const id = own.jobs.get('long')?.id as number
    const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('')
    await print(forge, id, lines(1, 6_000))
    const page = await open({ user })
    const address = `/${project.full_path}/-/jobs/${id}`
    const shown = () => page.locator('.log [id]').count()
    const first = () => page.locator('.log [id]').first().getAttribute('id')
    const toEnd = () => page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.goto(address)
    await expect.poll(shown).toBe(5_000)
    await expect.poll(first).toBe('L1001')

    await toEnd()
    await print(forge, id, lines(6_001, 30_000))
    await page.locator('#L30000').waitFor({ state: 'attached' })
    await expect.poll(shown).toBeLessThanOrEqual(10_000)
    const kept = Number((await first())?.slice(1))
    await page.getByRole('link', { name: 'Show earlier lines' }).click()
    await expect.poll(first).toBe(`L${kept - 5_000}`)
    await page.getByRole('link', { name: 'Show earlier lines' }).click()
    await expect.poll(first).toBe(`L${kept - 10_000}`)

    const before = await shown()
    const asked = page.waitForResponse((response) => response.url().endsWith('/log?before=1'))
    await print(forge, id, lines(30_001, 32_000))
    await asked
    await expect.poll(shown).toBe(before)
    await toEnd()
    await page.locator('#L32000').waitFor({ state: 'attached' })
    await expect.poll(shown).toBe(5_000)

    await page.goto('about:blank')
    await page.goto(`${address}#L300`)
    await page.waitForURL(/before=1300#L300$/)
    await page.locator('#L300').waitFor()
    await page.getByRole('link', { name: 'Show later lines' }).click()
    await expect.poll(() => page.locator('.log [id]').last().getAttribute('id')).toBe('L6299')
  }),
)

const addresses = () => {
  const base = `/${project.full_path}`
  const pipeline = `${base}/pipelines/${shown.id}`
  return [
    `${base}/pipelines`,
    pipeline,
    `${pipeline}/builds`,
    jobAddress('unit'),
    jobAddress('browser: [chromium, a very long name of a job]'),
    `${base}/pipelines/new`,
    `${base}/-/ci/editor`,
    `${base}/pipeline_schedules`,
    `${base}/environments`,
    `${base}/settings/ci_cd`,
  ]
}

test.each(['narrow', 'phone', 'desktop'] as const)(
  'pages of CI have no accessibility violation and do not scroll sideways: %s',
  inFullRun(
    '60 times axe. pages.test.ts looks at each of these pages with axe, in light, and at their widths; here are hard texts, both colours and more windows.',
  ),
  (width: Width) =>
    browsing(async (open) => {
      for (const dark of [false, true]) {
        const page = await open({ user, width, dark })
        for (const [index, address] of addresses().entries()) {
          await page.goto(address)
          const folder = process.env.GITSTEAD_TEST_GALLERY
          if (folder) await page.screenshot({ path: join(folder, `ci-${index}.${width}.${dark ? 'dark' : 'light'}.png`), fullPage: true })
          expect([address, await axeOf(page)]).toEqual([address, []])
          await noSidewaysScroll(page, width)
        }
      }
    })(),
)

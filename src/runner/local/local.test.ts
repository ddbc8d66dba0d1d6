/** `gitstead ci local` as a process of its own, in a work tree with uncommitted changes. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git } from '../../../test/support/git.ts'
import { gitsteadProgram } from '../../../test/support/program.ts'
import { cpuBudget } from '../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { probeSandbox } from '../shell/sandbox.ts'

cpuBudget(20, 'Each run has a server of its own.')

const config = `
stages: [build, test, deploy]
build:
  stage: build
  tags: [special]
  script: ['echo "made from $(cat note.txt) for $WHOM" > out.txt']
  artifacts: {paths: [out.txt]}
unit: {stage: test, script: [cat out.txt]}
broken: {stage: test, script: [exit 3]}
tagged: {stage: deploy, script: [echo tag], only: [tags]}
hand: {stage: deploy, when: manual, script: [echo by hand]}
`

let folder: string
const sandboxed = (await probeSandbox()) === null

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gitstead-local-'))
  await git(folder, 'init', '-q', '-b', 'topic')
  await writeFile(join(folder, '.gitlab-ci.yml'), config)
  await git(folder, 'add', '-A')
  await git(folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'Add CI')
  await writeFile(join(folder, 'note.txt'), 'a file that is not committed')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function local(...args: string[]) {
  const [node, main] = await gitsteadProgram()
  const withoutSandbox = sandboxed ? [] : ['--without-sandbox']
  const { stdout, stderr, status } = spawnSync(node, [main, 'ci', 'local', ...withoutSandbox, ...args], { cwd: folder, encoding: 'utf8' })
  return { stdout, stderr, status }
}

test(
  'it says which jobs a push makes and which not, and leaves the repository as it was',
  inFullRun('A process with a server of its own.'),
  async () => {
    const before = await git(folder, 'count-objects', '-v')
    const { stdout, status } = await local('--list')
    expect([status, stdout]).toEqual([
      0,
      `A push to topic makes:
  build: build
  test: unit
  test: broken
  deploy: hand (manual)
It leaves out, as their \`rules\`, \`only\` or \`except\` do not let them in:
  deploy: tagged
`,
    ])
    expect([await git(folder, 'count-objects', '-v'), await git(folder, 'status', '--porcelain')]).toEqual([before, '?? note.txt'])
  },
)

test(
  'all jobs run with the files of the work tree, artifacts and variables, and one that fails is the result',
  inFullRun('A process with a server of its own.'),
  async () => {
    const { stdout, status } = await local('--variable', 'WHOM=Ada')
    expect(stdout).toContain('made from a file that is not committed for Ada')
    expect([status, stdout.trimEnd().split('\n').slice(-4)]).toEqual([
      1,
      ['build: success', 'unit: success', 'broken: failed', 'hand: skipped'],
    ])
  },
)

test(
  'a job alone runs without those before it, a manual one too, and an unknown one is refused',
  inFullRun('A process with a server of its own.'),
  async () => {
    const hand = await local('hand')
    const unknown = await local('nothing')
    expect([hand.status, hand.stdout.includes('by hand'), hand.stdout.includes('== build')]).toEqual([0, true, false])
    expect([unknown.status, unknown.stderr]).toEqual([1, 'gitstead: the pipeline has no job "nothing"\n'])
  },
)

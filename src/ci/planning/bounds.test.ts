/** Files nobody means well with, and files of a size: never a crash, never slow. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextOf, errorsOf, loaderOf, plannedOf, variable } from '../../../test/support/fixtures/ci.ts'
import { cpuBudget } from '../../../test/support/run/cpu.ts'
import { isGate } from '../../../test/support/run/tiers.ts'
import { parseConfig, planFor } from './planning.ts'

cpuBudget(7, 'Configurations of the largest size that is allowed.')

const words = [
  'a',
  'b',
  '.c',
  'stages',
  'default',
  'workflow',
  'include',
  'variables',
  'script',
  'rules',
  'needs',
  'extends',
  'parallel',
  'matrix',
]
const keys = [
  ...words,
  'if',
  'changes',
  'when',
  'only',
  'except',
  'image',
  'services',
  'cache',
  'artifacts',
  'reports',
  'environment',
  'trigger',
]
const more = [
  ...keys,
  'inherit',
  'timeout',
  'retry',
  'stage',
  'tags',
  'name',
  'job',
  'paths',
  'refs',
  'key',
  'files',
  '__proto__',
  'constructor',
  '',
]
const values = [
  'a',
  'b',
  '.c',
  '$A == "a"',
  'manual',
  'never',
  'delayed',
  '/a+/',
  '1 day',
  'a/**/*.{x,y}',
  '!reference',
  '',
  '\0',
  '$A',
  'x.yml',
  'test',
]

const leaf = fc.oneof(fc.constantFrom<unknown>(...values, null, true, false, 0, 1, -1, 2.5, 1e9), fc.string({ maxLength: 8 }))
const tree = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...more), tie('node'), { maxKeys: 5 }),
  ),
})).node

test('no tree of keywords crashes parsing or planning', async () => {
  const files = { 'x.yml': 'c: {script: x}', a: 'include: a', b: '{' }
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...more), tree, { maxKeys: 8 }), async (root) => {
      const parsed = await parseConfig(JSON.stringify(root), loaderOf(files), contextOf())
      if ('errors' in parsed) {
        expect(parsed.errors.length).toBeGreaterThan(0)
        expect(parsed.errors.every((error) => error.length > 0 && !error.startsWith(' '))).toBe(true)
      } else expect((await planFor(parsed.config, contextOf())).outcome).toMatch(/^(planned|filtered|empty|invalid)$/)
    }),
    { numRuns: 500 },
  )
})

test('no text crashes the parser, YAML or not', async () => {
  const pieces = [
    'a:',
    ' ',
    '\n',
    '  ',
    '- ',
    '&x ',
    '*x',
    '<<: ',
    '!reference ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    '"',
    "'",
    '|\n',
    '#',
    '\t',
    '---\n',
    '? ',
    '%',
    'b',
    '\u0000',
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), async (text) => {
      expect(await parseConfig(text.join(''), loaderOf({}), contextOf())).toBeDefined()
    }),
    { numRuns: 500 },
  )
})

/** CPU milliseconds, the least of some rounds: what the code takes once it is warm. */
async function cpu_ms(rounds: number, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

function graph(jobs: number): string {
  const lines = ['stages: [build, test, deploy]', 'default: {image: "node:20"}', 'variables: {A: b}']
  for (let at = 0; at < jobs; at++) {
    lines.push(
      `job ${at}:`,
      `  stage: ${['build', 'test', 'deploy'][at % 3]}`,
      '  script:',
      '    - echo hello',
      '    - make test',
      '  rules:',
    )
    lines.push('    - if: $CI_COMMIT_BRANCH == "main" && $A =~ /b+/', '      changes: ["src/**/*"]', `  variables: {X: "${at}"}`)
    lines.push(at % 3 ? `  needs: ["job ${at - 1}"]` : '  tags: [docker]')
  }
  return lines.join('\n')
}

test('2,000 lines with 200 jobs in a graph take under 150 ms of CPU', async () => {
  const context = contextOf({ predefined: [variable('CI_COMMIT_BRANCH', 'main')], changedPaths: async () => ['src/a.ts'] })
  const text = graph(200)
  expect(text.split('\n').length).toBeGreaterThan(2_000)
  const least = await cpu_ms(8, async () => {
    const parsed = await parseConfig(text, loaderOf({}), context)
    const planned = 'config' in parsed ? await planFor(parsed.config, context) : null
    expect(planned?.outcome === 'planned' && planned.plan.jobs.length).toBe(200)
  })
  expect(least).toBeLessThan(150)
})

/** Each ends with a plan or a message, in a few seconds at the most on a busy machine. */
const bombs: Record<string, [text: string, outcome: RegExp]> = {
  '10,000 jobs': [Array.from({ length: 10_000 }, (_, at) => `j${at}: {script: x}`).join('\n'), /planned 10000/],
  '10,001 jobs': [Array.from({ length: 10_001 }, (_, at) => `j${at}: {script: x}`).join('\n'), /too many jobs/],
  '100,000 variables': [
    `variables:\n${Array.from({ length: 30_000 }, (_, at) => `  V${at}: x`).join('\n')}\na: {script: x}`,
    /too many variables/,
  ],
  '10,000 parallel jobs': [Array.from({ length: 100 }, (_, at) => `j${at}: {script: x, parallel: 200}`).join('\n'), /limit of 10000/],
  'needs among parallel jobs': [
    `a: {script: x, parallel: 200}\n${Array.from({ length: 40 }, (_, at) => `j${at}: {script: x, parallel: 200, needs: [a]}`).join('\n')}`,
    /too many needs/,
  ],
  'a long circle of needs': [
    Array.from({ length: 2_000 }, (_, at) => `j${at}: {script: x, needs: [j${(at + 1) % 2_000}]}`).join('\n'),
    /circular dependencies/,
  ],
  'extends that double': [
    `.e0: {variables: {${Array.from({ length: 200 }, (_, at) => `V${at}: x`)}}}\n${Array.from({ length: 3_000 }, (_, at) => `j${at}: {extends: .e0, script: x}`).join('\n')}`,
    /too big|planned/,
  ],
  'references that double': [
    `.r0: [x, x]\n${Array.from({ length: 9 }, (_, at) => `.r${at + 1}: [!reference [.r${at}], !reference [.r${at}], !reference [.r${at}], !reference [.r${at}], !reference [.r${at}], !reference [.r${at}]]`).join('\n')}\na: {script: !reference [.r9]}`,
    /too big/,
  ],
  'patterns that explode': [`a: {script: x, only: ["/(a*)*c$/", "/(a|a)*b/", "/${'(x?)'.repeat(100)}y/"]}`, /empty/],
  'globs that explode': [`a: {script: x, rules: [{changes: ["${'**/*a*'.repeat(50)}z"]}]}`, /empty/],
  'errors in 5,000 jobs': [Array.from({ length: 5_000 }, (_, at) => `j${at}: {script: 1}`).join('\n'), /jobs:j0:script/],
  '500 rules in a job, 100 jobs by alias': [
    `.r: &r [${Array.from({ length: 500 }, (_, at) => `{if: '$A == "${at}"'}`)}]\n${Array.from({ length: 100 }, (_, at) => `j${at}: {script: x, rules: *r}`).join('\n')}`,
    /empty/,
  ],
}

/** 1 to 2 s of processor each. The gate has 200 jobs of 2,000 lines above, and the bombs that are refused. */
const inFullRunAlone = ['10,000 jobs', '100,000 variables', 'errors in 5,000 jobs', '500 rules in a job, 100 jobs by alias']
const tried = Object.keys(bombs).filter((name) => !(isGate && inFullRunAlone.includes(name)))

test.each(tried)('%s', async (name) => {
  const [text, expected] = bombs[name] ?? ['', /never/]
  const given = { changedPaths: async () => Array.from({ length: 1_000 }, (_, at) => `${'a/'.repeat(50)}${at}`), ref: 'a'.repeat(250) }
  const started = process.cpuUsage()
  const errors = await errorsOf(text, {}, given)
  const planned = errors.length > 0 ? null : await plannedOf(text, given)
  const outcome = planned?.outcome === 'planned' ? `planned ${planned.plan.jobs.length}` : `${planned?.outcome} ${JSON.stringify(planned)}`
  expect(errors[0] ?? outcome).toMatch(expected)
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1_000).toBeLessThan(10_000)
})

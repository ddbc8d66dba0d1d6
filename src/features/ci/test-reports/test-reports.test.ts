import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { jobOf, type TestJob } from '../../../../test/support/fixtures/jobs.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { readReport } from '../../../ci/text/junit.ts'
import { compareSuites } from './test-reports.ts'

const report = `<?xml version="1.0"?>
<testsuites><testsuite name="unit">
  <testcase classname="Sum" name="adds" time="0.5"/>
  <testcase classname="Sum" name="breaks" time="1,000.25" file="sum.ts"><failure message="expected 2">got &lt;3&gt;</failure></testcase>
  <testcase classname="Sum" name="later"><skipped/></testcase>
  <testcase classname="Sum" name="dies" time="x"><error><![CDATA[a < b]]></error><system-out>noise</system-out></testcase>
</testsuite></testsuites>`

async function send(forge: Forge, { id, token }: TestJob, bytes: Buffer): Promise<number> {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="junit.xml.gz"\r\n\r\n'
  const answer = await forge.server.inject({
    method: 'POST',
    url: `/api/v4/jobs/${id}/artifacts?artifact_type=junit&artifact_format=gzip`,
    headers: { 'job-token': token, 'content-type': 'multipart/form-data; boundary=b' },
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]),
  })
  return answer.statusCode
}

test('the JUnit files of the jobs of a pipeline are its test report', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const job = await jobOf(forge, project, developer, { name: 'rspec' })
  const broken = await jobOf(forge, project, developer, { name: 'zz', pipeline_id: job.pipeline_id })
  expect(await send(forge, job, gzipSync(report + report))).toBe(201)
  expect(await send(forge, broken, Buffer.from('not gzip'))).toBe(201)
  const at = `/projects/${project.id}/pipelines/${job.pipeline_id}`

  const { status, body } = await forge.as(developer).get(`${at}/test_report`)
  const { body: summary } = await forge.as(developer).get(`${at}/test_report_summary`)

  expect([status, body.total_count, body.success_count, body.failed_count, body.skipped_count, body.error_count]).toEqual([
    200, 8, 2, 2, 2, 2,
  ])
  expect(body.total_time).toBe(2001.5)
  expect(body.test_suites.map((suite: { name: string; suite_error: string | null }) => [suite.name, suite.suite_error])).toEqual([
    ['rspec', null],
    ['zz', 'JUnit XML data parsing failed'],
  ])
  expect(body.test_suites[0].test_cases[1]).toEqual({
    status: 'failed',
    name: 'breaks',
    classname: 'Sum',
    file: 'sum.ts',
    execution_time: 1000.25,
    system_output: 'expected 2got <3>',
    stack_trace: null,
  })
  expect(summary.total).toMatchObject({ count: 8, success: 2, failed: 2, skipped: 2, error: 2, time: 2001.5 })
  expect(summary.test_suites[0]).toMatchObject({ name: 'rspec', build_ids: [job.id], total_count: 8 })
})

test('hostile XML is bounded: entities, depth, many cases, much text, many documents, no XML', () => {
  const read = (text: string, room = { cases: 50, chars: 20_000 }) => readReport(text, room)
  const bomb =
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"><failure>&b;</failure></testcase></testsuite>'
  expect(read(bomb).cases[0]?.system_output).toBe('&b;')
  expect(read('<a>'.repeat(10_000)).error).toContain('too deeply')
  expect(read('no XML').error).toBe('JUnit XML data parsing failed')
  const long = read(`<testsuite><testcase name="${'n'.repeat(5_000)}"><failure>${'x'.repeat(1_000_000)}</failure></testcase></testsuite>`)
  expect([long.cases[0]?.name.length, long.cases[0]?.system_output?.length]).toEqual([1_000, 16 * 1024])
  const parts = `<failure message="&lt;a">&#x41;&#66;&c;<![CDATA[&lt;]]>&amp;lt;</failure>`
  const many = read(`<testsuite><testcase ${'a="&amp;" '.repeat(100_000)}name="&quot;n&apos;">${parts}</testcase></testsuite>`)
  expect(many.cases).toMatchObject([{ name: `"n'`, system_output: '<aAB&c;&lt;&lt;' }])
  const suite = (cases: number, name: string) => `<?xml ?><testsuite>${`<testcase name="${name}"/>`.repeat(cases)}</testsuite>`
  for (const [text, cases] of [
    [suite(60, 'a'), 50],
    [suite(30, 'a').repeat(2), 50],
    [suite(30, 'a'.repeat(1_000)), 20],
  ] as const) {
    const { cases: found, error } = read(text)
    expect([found.length, error]).toEqual([cases, expect.stringContaining('too many test cases, or too much output')])
  }
  expect(read('<?xml ?>'.repeat(100_000)).error).toBe('JUnit XML has more than 1000 documents')
})

test('compared with another pipeline, failures are new, known or resolved', () => {
  const suite = (states: Record<string, 'success' | 'failed'>) => [
    {
      name: 'rspec',
      job_ids: [1],
      error: null,
      cases: Object.entries(states).map(([name, status]) => ({
        name,
        status,
        classname: 'A',
        file: null,
        execution_time: 0,
        system_output: null,
      })),
    },
  ]
  const { new_failures, existing_failures, resolved_failures } = compareSuites(
    suite({ a: 'failed', b: 'failed', c: 'success' }),
    suite({ a: 'failed', b: 'success', c: 'failed', d: 'failed' }),
  )
  const names = (cases: { name: string }[]) => cases.map(({ name }) => name)
  expect([names(new_failures), names(existing_failures), names(resolved_failures)]).toEqual([['c', 'd'], ['a'], ['b']])
})

/** Test reports of a pipeline. */
import { endpoint } from '../../../http/declare/endpoint.ts'
import { within } from '../../../http/declare/within.ts'
import { jobsSeen, pipelineInPath } from '../pipelines/pipelines.ts'
import { TestReport, TestReportSummary } from './test-reports.schema.ts'
import { countsOf, testSuitesOf } from './test-reports.service.ts'

export const testReports = [
  endpoint('GET /projects/:id/pipelines/:pipeline_id/test_report', {
    summary: 'Get the test report of a pipeline',
    access: within(jobsSeen, pipelineInPath),
    reply: TestReport,
    async handle({ app, pipeline }) {
      const suites = await testSuitesOf(app, pipeline)
      const test_suites = suites.map(({ name, cases, error }) =>
        Object.assign(
          { name, suite_error: error, test_cases: cases.map((one) => Object.assign({ stack_trace: null }, one)) },
          countsOf(cases),
        ),
      )
      return Object.assign({ test_suites }, countsOf(suites.flatMap(({ cases }) => cases)))
    },
  }),
  endpoint('GET /projects/:id/pipelines/:pipeline_id/test_report_summary', {
    summary: 'Get the number of tests of a pipeline by outcome',
    access: within(jobsSeen, pipelineInPath),
    reply: TestReportSummary,
    async handle({ app, pipeline }) {
      const suites = await testSuitesOf(app, pipeline)
      const all = countsOf(suites.flatMap(({ cases }) => cases))
      const total = {
        time: all.total_time,
        count: all.total_count,
        success: all.success_count,
        failed: all.failed_count,
        skipped: all.skipped_count,
        error: all.error_count,
        suite_error: suites.find(({ error }) => error !== null)?.error ?? null,
      }
      const test_suites = suites.map(({ name, job_ids, cases, error }) =>
        Object.assign({ name, build_ids: job_ids, suite_error: error }, countsOf(cases)),
      )
      return { total, test_suites }
    },
  }),
]

/** Test reports of pipelines in JSON. */
import { Type } from 'typebox'
import { nullable, oneOf, resource } from '../../../http/parameters/schema.ts'

const counts = {
  total_time: Type.Number({ description: 'In seconds' }),
  total_count: Type.Integer(),
  success_count: Type.Integer(),
  failed_count: Type.Integer(),
  skipped_count: Type.Integer(),
  error_count: Type.Integer(),
}

const TestCase = resource('TestCase', {
  status: oneOf('success', 'failed', 'skipped', 'error'),
  name: Type.String(),
  classname: Type.String(),
  file: nullable(Type.String()),
  execution_time: Type.Number({ description: 'In seconds' }),
  system_output: nullable(Type.String()),
  stack_trace: nullable(Type.String()),
})

export const TestReport = resource('TestReport', {
  ...counts,
  test_suites: Type.Array(
    resource('TestSuite', {
      name: Type.String({ description: 'Name of the job' }),
      ...counts,
      suite_error: nullable(Type.String()),
      test_cases: Type.Array(TestCase),
    }),
  ),
})

export const TestReportSummary = resource('TestReportSummary', {
  total: resource('TestReportTotal', {
    time: Type.Number(),
    count: Type.Integer(),
    success: Type.Integer(),
    failed: Type.Integer(),
    skipped: Type.Integer(),
    error: Type.Integer(),
    suite_error: nullable(Type.String()),
  }),
  test_suites: Type.Array(
    resource('TestSuiteSummary', {
      name: Type.String(),
      ...counts,
      build_ids: Type.Array(Type.Integer()),
      suite_error: nullable(Type.String()),
    }),
  ),
})

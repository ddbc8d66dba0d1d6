/** Test reports: what other features and pages may use of them. */
export { type Comparison, compareSuites, countsOf, type TestSuite, testSuitesOf } from './test-reports.service.ts'

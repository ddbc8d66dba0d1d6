/** Reports of abuse: what others may use of them. */
export { closeReportsOf, type ListedReport, listReports, reportById } from './abuse-reports.queries.ts'
export { abuseCategories, reportAbuse } from './abuse-reports.service.ts'

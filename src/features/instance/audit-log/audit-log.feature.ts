/** Endpoints and jobs of the audit log, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { auditEvents } from './audit-log.endpoints.ts'
import { pruneAuditLog } from './audit-log.jobs.ts'

export const auditLogFeature = feature({ endpoints: section('Audit events', auditEvents), jobs: [pruneAuditLog] })

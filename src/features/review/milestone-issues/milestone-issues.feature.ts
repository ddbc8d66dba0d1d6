/** Endpoints of milestone issues, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { milestoneIssues } from './milestone-issues.endpoints.ts'

export const milestoneIssuesFeature = feature({ endpoints: section('Milestones', milestoneIssues) })

/** Endpoints and jobs of members, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { members } from './members.endpoints.ts'
import { memberJobs } from './members.jobs.ts'
import { memberships } from './memberships.endpoints.ts'

export const membersFeature = feature({ endpoints: section('Members', members, memberships), jobs: memberJobs })

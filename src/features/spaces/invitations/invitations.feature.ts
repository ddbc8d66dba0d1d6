/** Endpoints and jobs of invitations, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { invitations } from './invitations.endpoints.ts'
import { pruneInvitations } from './invitations.jobs.ts'

export const invitationsFeature = feature({ endpoints: section('Members', invitations), jobs: [pruneInvitations] })

/** Endpoints of groups, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { groups } from './groups.endpoints.ts'
import { sharedGroups } from './shares.endpoints.ts'
import { groupWrites } from './writes.endpoints.ts'

export const groupsFeature = feature({ endpoints: section('Groups', groups, groupWrites, sharedGroups) })

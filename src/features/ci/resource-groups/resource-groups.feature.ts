/** Endpoints of resource groups, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { resourceGroups } from './resource-groups.endpoints.ts'

export const resourceGroupsFeature = feature({ endpoints: section('Environments', resourceGroups) })

/** Endpoints of milestones, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { milestones } from './milestones.endpoints.ts'

export const milestonesFeature = feature({ endpoints: section('Milestones', milestones) })

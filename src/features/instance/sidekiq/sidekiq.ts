/** The job queue: what pages of administrators use of it. */
export { jobStates, pageOfJobs } from '../../../queue/administration.ts'
export { queueFigures } from '../../../queue/figures.ts'
export { removeJobs, runAgain } from './jobs.service.ts'

/** The job queue: what administration pages may use. */
export { jobStates, pageOfJobs } from '../../../queue/administration.ts'
export { queueFigures } from '../../../queue/figures.ts'
export { removeJobs, runAgain } from './jobs.service.ts'

/** Queues of merge requests, called merge trains by the API: what other features may use. */
export { carOf, pageOfCars, positionOf, type TrainPlace, waitingByBranch } from './cars.queries.ts'
export { clauseOf, pusherOf } from './checks.service.ts'
export { takeOutIn } from './leaving.service.ts'
export { type DescribedCar, describeCars } from './merge-trains.present.ts'
export { addBehind, addToTrain, mergeOrAdd } from './trains.service.ts'

export { type AppOptions, createApp, httpDefaults } from './app.ts'
export type { AppLogger, HealthReport, Ports, Readiness } from './ports.ts'
export { type Problem, type ProblemCode, problemCatalogue } from './problem.ts'

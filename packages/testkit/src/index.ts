export * from './postgres/index.ts'
export * from './servers/index.ts'

export {
  checkInvariants,
  type Invariant,
  type InvariantClient,
  installWitness,
  invariants,
  type Violation,
} from './invariants.ts'
export * from './run-model.ts'

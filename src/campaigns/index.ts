export * as audiences from './audience.ts'
export * as campaignList from './campaign-list.ts'
export * as campaigns from './campaigns.ts'
export * as sending from './sending.ts'

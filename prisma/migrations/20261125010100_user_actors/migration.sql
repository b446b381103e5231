-- AlterEnum
ALTER TYPE "actor_kind" ADD VALUE 'USER';

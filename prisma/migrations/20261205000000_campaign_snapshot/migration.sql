-- Set while the recipient snapshot of a campaign is made. NULL in all existing campaigns, whose snapshots are complete.
ALTER TABLE campaign ADD COLUMN snapshot_position int, ADD COLUMN snapshot_end int;

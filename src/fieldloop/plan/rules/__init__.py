"""What an allocation must respect: degraded bins, sites that are not live yet, tiers, failures and recoveries."""

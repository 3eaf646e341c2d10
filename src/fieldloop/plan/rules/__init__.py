"""What an allocation must respect: degraded bins, sites that are not at work yet, tiers, failures and recoveries."""

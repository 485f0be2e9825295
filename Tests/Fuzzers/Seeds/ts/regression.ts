@targetLabel true
